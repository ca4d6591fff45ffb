// SPDX-License-Identifier: Apache-2.0
// What converters of operators with index tensors share.
#pragma once

#include <optional>
#include <vector>

#include "frontend/exported/call.h"

namespace stitch::frontend {

// A tensor without axes as one of a single axis of one element; others as they are.
Result<ValueId> with_an_axis(Call& call, ValueId x);

// Indices of an axis of `extent` elements, negative ones counted from its end, as int64.
Result<ValueId> counted_from_front(Call& call, ValueId index, int64_t extent);

// x[indices] as PyTorch reads it: the axes that tensors stand at become one axis, and the indices one tensor.
struct AdvancedIndex {
  ValueId x;  // its indexed axes moved together, and merged into `axis`
  size_t axis = 0;
  ValueId index;                  // of every broadcast position, in the merged axis
  std::vector<int64_t> order;     // of the axes of the tensor before they were merged; empty: as they were
  std::vector<int64_t> unmerged;  // the shape before they were merged
};
// Fails, with a reason, for masks: what they give has a shape that depends on their values.
Result<AdvancedIndex> advanced_index(Call& call, ValueId x, const std::vector<std::optional<ValueId>>& indices);

// `value` in the shape of the exported call's first output, which has as many elements.
Converted finish_as_exported(Call& call, ValueId value);

}  // namespace stitch::frontend
