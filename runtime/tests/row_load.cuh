// SPDX-License-Identifier: Apache-2.0
// The element of a row and a column of test data, by strides of either sign.
#pragma once

#include <cstdint>

namespace stitch_test {

template <typename T>
struct RowLoad {
  const T* x;
  std::int64_t row_stride;
  std::int64_t column_stride;
  __device__ T operator()(std::int64_t row, std::int64_t column) const {
    return x[row * row_stride + column * column_stride];
  }
};

}  // namespace stitch_test
