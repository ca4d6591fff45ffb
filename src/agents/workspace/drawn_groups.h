// SPDX-License-Identifier: Apache-2.0
// Groups of nodes that a session drew, as sub-tasks of a run.
#pragma once

#include "agents/state/state.h"
#include "agents/workspace/session.h"
#include "ir/graph/graph.h"

namespace stitch::agents {

// The group of the sub-task's nodes; empty: the session drew none.
std::string group_of(const SubTask& sub_task, const SessionRecord& record);

// Whether the session drew groups, and no plan of the run has them.
bool has_new_groups(const State& state, const SessionRecord& record);

// The plan under way with the groups before all, and without the sub-tasks that share a node with one.
PlanVersion plan_with_groups(const State& state, const SessionRecord& record, const ir::Graph& graph);

}  // namespace stitch::agents
