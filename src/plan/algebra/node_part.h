// SPDX-License-Identifier: Apache-2.0
// Which elements of its operands a node reads, when only some of its result are wanted. An operator that says nothing
// of it is made whole, of whole operands, which is always right.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph/graph.h"

namespace stitch::plan {

// Elements `begin` to `end` of an axis.
struct AxisRange {
  int64_t begin = 0;
  int64_t end = 0;
  bool operator==(const AxisRange&) const = default;
};
using Box = std::vector<AxisRange>;  // one range an axis

// All of `value`.
Box whole_box(const ir::Graph& graph, ir::ValueId value);

// Whether an element of the result is made of one element of each operand, and of nothing else.
bool works_by_element(const ir::Node& node);

// What a node makes of its result, and reads of each operand for that; nothing of an operand that it does without.
struct NodePart {
  Box made;
  std::vector<std::optional<Box>> read;
};

// The part of a node's work that gives at least `wanted`, which is not empty, of its only result.
NodePart part_that_makes(const ir::Graph& graph, const ir::Node& node, const Box& wanted);

}  // namespace stitch::plan
