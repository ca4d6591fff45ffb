// SPDX-License-Identifier: Apache-2.0
// Whether sub-tasks cut a graph so that each can be written by itself.
#pragma once

#include "agents/planner/agent_plan.h"
#include "ir/graph/graph.h"

namespace stitch::agents {

// A node goes by the name of its first output.
const std::string& node_name(const ir::Graph& graph, ir::NodeId node);

// What a group of nodes takes and gives, a line each: "takes x: f32[4,8]", "gives y: f32[4]". Values that are produced
// inside and used outside, or returned, are given.
std::vector<std::string> contract_of(const ir::Graph& graph, const std::vector<ir::NodeId>& nodes);

// Each node belongs to one sub-task of kind step and to no second one, no two sub-tasks need each other (which a group
// that is not convex does with what lies between), contracts are those of the graph, and a host's sub-task has no
// nodes. Empty: all of that holds.
Complaints complaints_about(const PlanVersion& plan, const ir::Graph& graph);

}  // namespace stitch::agents
