// SPDX-License-Identifier: Apache-2.0
// What a run's record tells of its agents, from the state that they are in.
#pragma once

#include "agents/run/agents_improver.h"
#include "runs/record/agents_record.h"

namespace stitch::cli {

// `start`: the time of the program that the run began with.
runs::AgentsRecord agents_record(const agents::RunRequest& request, const agents::State& state,
                                 const std::optional<agents::Time>& start);

}  // namespace stitch::cli
