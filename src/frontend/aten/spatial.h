// SPDX-License-Identifier: Apache-2.0
// What convolution, pooling and resampling share: one number a spatial axis, and operators over one axis as operators
// over two, the first of extent one.
#pragma once

#include "frontend/exported/call.h"

namespace stitch::frontend {

// Integers by axis: one number stands for all of them; `missing` also for an empty list.
Result<std::vector<int64_t>> per_axis(Call& call, size_t position, const char* name,
                                      const std::vector<int64_t>& missing);
// The same where the argument must be there.
Result<std::vector<int64_t>> per_axis(Call& call, size_t position, const char* name, size_t axes);

// [..., l] as [..., 1, l].
Result<ValueId> with_row_axis(Call& call, ValueId x);
// [..., 1, l] as [..., l].
Result<ValueId> without_row_axis(Call& call, ValueId x);
// {l} as {one, l}.
std::vector<int64_t> with_row(std::vector<int64_t> numbers, int64_t one);

}  // namespace stitch::frontend
