// SPDX-License-Identifier: Apache-2.0
// From a command line to what the agents are asked.
#pragma once

#include "agents/run/agents_improver.h"
#include "agents/run/team.h"
#include "cli/options/command_line.h"
#include "cli/output/reporter.h"
#include "driver/job/resources.h"

namespace stitch::cli {

// kUsage where options contradict each other.
Result<agents::TeamRequest> team_request_of(const CommandLine& line);
agents::Limits limits_of(const AgentOptions& options);

// Finds the team, which asks its models, before the run's record is begun: where one cannot be asked nothing is
// written. The request lacks its folder.
Result<agents::RunRequest> find_agents(const CommandLine& line, const driver::Resources& resources, Reporter& reporter);

}  // namespace stitch::cli
