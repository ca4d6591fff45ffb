// SPDX-License-Identifier: Apache-2.0
// Of a run of agents, the lines that `runs list` and `runs show` have of it. What models wrote steers no terminal.
#pragma once

#include <string>
#include <vector>

#include "runs/record/agents_record.h"
#include "runs/record/run_summary.h"

namespace stitch::cli {

// "stitch small, 7 attempts, 2/5 steps"
std::string agents_in_short(const runs::AgentsSummary& agents);
// Name and text of each line.
std::vector<std::vector<std::string>> agents_rows(const runs::AgentsRecord& agents);

}  // namespace stitch::cli
