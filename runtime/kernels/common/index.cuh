// SPDX-License-Identifier: Apache-2.0
// Index arithmetic: rounding up, and division by a run-time extent without the GPU's slow integer division.
#pragma once

#include <stdint.h>

namespace stitch {

__host__ __device__ constexpr int64_t ceil_divide(int64_t value, int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

__host__ __device__ constexpr int64_t round_up(int64_t value, int64_t multiple) {
  return ceil_divide(value, multiple) * multiple;
}

struct QuotientRemainder {
  int64_t quotient;
  int64_t remainder;
};

// Divides non-negative indices by an extent known on the host: a multiplication and a shift while both stay below
// 2^31, ordinary 64-bit division beyond. Functors that split a linear index hold one per extent.
class Divider {
 public:
  Divider() = default;

  __host__ explicit Divider(int64_t divisor) : divisor_(divisor) {
    if (divisor <= 0 || (divisor >> 31) != 0) {
      return;
    }
    while ((int64_t{1} << shift_) < divisor) {
      ++shift_;
    }
    const uint64_t power = uint64_t{1} << shift_;
    multiplier_ = static_cast<uint32_t>(((power - static_cast<uint64_t>(divisor)) << 32) / divisor + 1);
  }

  __host__ __device__ int64_t divisor() const { return divisor_; }

  __host__ __device__ QuotientRemainder divide(int64_t index) const {
    if (((index | divisor_) >> 31) != 0) {
      return {index / divisor_, index % divisor_};
    }
    const auto small = static_cast<uint32_t>(index);
    const auto high = static_cast<uint32_t>((static_cast<uint64_t>(small) * multiplier_) >> 32);
    const uint32_t quotient = (high + small) >> shift_;
    return {quotient, small - quotient * static_cast<uint32_t>(divisor_)};
  }

 private:
  int64_t divisor_ = 1;
  uint32_t multiplier_ = 1;
  uint32_t shift_ = 0;
};

// Where a place along an axis of `extent` elements is looked for when it lies beyond an end: at the nearest element, at
// the one mirrored at that end, or at the one that follows when the axis is repeated. A mirrored place lies less than
// `extent` beyond, a wrapped one at most `extent`.
__host__ __device__ constexpr int64_t held_within(int64_t place, int64_t extent) {
  return place < 0 ? 0 : (place < extent ? place : extent - 1);
}

__host__ __device__ constexpr int64_t mirrored(int64_t place, int64_t extent) {
  return place < 0 ? -place : (place < extent ? place : 2 * (extent - 1) - place);
}

__host__ __device__ constexpr int64_t wrapped(int64_t place, int64_t extent) {
  return place < 0 ? place + extent : (place < extent ? place : place - extent);
}

// A row number that was read from a tensor, held inside the table: one that is out of range has no meaning (PyTorch
// refuses it), but must not read anything else.
__host__ __device__ constexpr int64_t bounded_row(int64_t row, int64_t rows) {
  return static_cast<uint64_t>(row) < static_cast<uint64_t>(rows) ? row : 0;
}

// The coordinates of an element in an iteration space, outermost axis first.
template <int kRank>
struct Index {
  int64_t axis[kRank];

  __host__ __device__ int64_t operator[](int position) const { return axis[position]; }
};

}  // namespace stitch
