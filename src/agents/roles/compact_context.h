// SPDX-License-Identifier: Apache-2.0
// What a Coder is told whose model has a context of some 8,192 tokens: the task and one file, within 1,500 tokens for a
// step of one to five operators.
#pragma once

#include <map>
#include <string>

#include "agents/roles/roles.h"

namespace stitch::agents {

inline constexpr size_t kMaxCompactCodeBytes = 4'000;  // without comments; what is longer is cut in the middle
inline constexpr size_t kMaxCompactToldBytes = 320;
inline constexpr size_t kMaxCompactMathematicsBytes = 800;

// The places of prompts/compact/coder_*.md.
std::map<std::string, std::string> compact_places(const State& state, const Material& material);
// What a text for the step takes, computes and gives, without a line of how it is done: values and nodes of the graph;
// includes, tensors, extents and the function of the present file, or of the file that lacks the kernels.
std::string compact_contract(const ir::Graph& graph, const SubTask& sub_task, const Ground& ground);
// Of that what is taken, computed and given, for whoever has the file already: a wrong one cannot be mended without.
std::string compact_mathematics(const ir::Graph& graph, const SubTask& sub_task);

}  // namespace stitch::agents
