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

// The upper half of a product of 128 bits.
__host__ __device__ __forceinline__ uint64_t multiply_high(uint64_t a, uint64_t b) {
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#else
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>(static_cast<Wide>(a) * b >> 64);
#endif
}

// Divides non-negative indices by an extent known on the host: a multiplication and a shift, and no branch, so that the
// compiler keeps what does not change in a loop out of it. Functors that split a linear index hold one per extent.
class Divider {
 public:
  Divider() = default;

  __host__ explicit Divider(int64_t divisor) : divisor_(divisor > 0 ? divisor : 1) {
    while ((uint64_t{1} << shift_) < static_cast<uint64_t>(divisor_)) {
      ++shift_;
    }
    // 2^(63 + shift) / divisor, rounded up. Exact for all indices below 2^63: see Granlund and Montgomery, Division by
    // Invariant Integers using Multiplication.
    __extension__ using Wide = unsigned __int128;
    const Wide power = static_cast<Wide>(1) << (63 + shift_);
    multiplier_ =
        static_cast<uint64_t>((power + static_cast<uint64_t>(divisor_) - 1) / static_cast<uint64_t>(divisor_));
  }

  __host__ __device__ int64_t divisor() const { return divisor_; }

  __host__ __device__ QuotientRemainder divide(int64_t index) const {
    const auto quotient = static_cast<int64_t>(multiply_high(multiplier_, static_cast<uint64_t>(index) << 1) >> shift_);
    return {quotient, index - quotient * divisor_};
  }

 private:
  int64_t divisor_ = 1;
  uint64_t multiplier_ = uint64_t{1} << 63;
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
