// SPDX-License-Identifier: Apache-2.0
// What a graph computes, without sizes, names and order: equal digests mean the same operators joined in the same way.
#pragma once

#include <string>

#include "ir/graph/graph.h"

namespace stitch::synth {

// Of a graph after our rewrites, so that what they take for the same is the same here. 64 hexadecimal digits.
std::string graph_digest(const ir::Graph& graph);

}  // namespace stitch::synth
