// SPDX-License-Identifier: Apache-2.0
// What all kernels that order rows share. An element is kept with the column it came from; equal values stay in the
// order of their columns, so every result is that of a stable sort.
//   Load:  T operator()(int64_t row, int64_t column) const;
//   Store: void operator()(int64_t row, int64_t rank, T value, int64_t position) const;   for rank < shape.kept
#pragma once

#include "kernels/common.cuh"
#include "kernels/common/order.cuh"

namespace stitch {

struct SortShape {
  int64_t rows;
  int64_t columns;
  int64_t kept;  // how many of each row are stored, from the first in order
};

}  // namespace stitch
