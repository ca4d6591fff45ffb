// SPDX-License-Identifier: Apache-2.0
// A graph as text; docs/formats.md has the form. The same graph always prints the same, and parse(print(g)) is g.
#pragma once

#include <string>

#include "ir/graph/graph.h"

namespace stitch::ir {

std::string print(const Graph& graph);

// The parts, for messages: "f32[2,3]" and "h: f32[2,3] = relu(x)  @ model.py:3".
std::string print(const TensorType& type);
std::string print(const Graph& graph, const Node& node);

}  // namespace stitch::ir
