// SPDX-License-Identifier: Apache-2.0
// The order of sort and topk: by value with NaN as the greatest, equal values by position.
#pragma once

#include <vector>

#include "ir/ops.h"

namespace stitch::ir {

// The positions of `line` in that order.
std::vector<size_t> sorted_positions(const std::vector<double>& line, bool is_descending);

// An operator that gives the first elements of each line along `dim` in that order, and where they stood: `kept` says
// how many of an axis of that extent, `is_descending` reads the node.
using KeptCount = int64_t (*)(const Node& node, int64_t extent);
OpDef ordered(std::vector<AttributeDef> attributes, KeptCount kept, bool (*is_descending)(const Node& node));

}  // namespace stitch::ir
