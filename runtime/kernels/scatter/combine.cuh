// SPDX-License-Identifier: Apache-2.0
// What becomes of one element of a scatter's result: its own value and those that are sent to it, in order.
#pragma once

#include "kernels/common.cuh"

namespace stitch {

// kNone: the last one sent wins, as in PyTorch's sequential loop.
enum class ScatterReduce { kNone, kSum, kProd, kMean, kAmax, kAmin };

namespace scatter_detail {

__device__ __forceinline__ float larger(float a, float b) { return maximum(a, b); }
__device__ __forceinline__ float smaller(float a, float b) { return minimum(a, b); }
__device__ __forceinline__ double larger(double a, double b) { return (a != a || a > b) ? a : b; }
__device__ __forceinline__ double smaller(double a, double b) { return (a != a || a < b) ? a : b; }
__device__ __forceinline__ int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
__device__ __forceinline__ int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
__device__ __forceinline__ bool larger(bool a, bool b) { return a || b; }
__device__ __forceinline__ bool smaller(bool a, bool b) { return a && b; }

__device__ __forceinline__ float mean_of(float sum, int64_t count) { return sum / static_cast<float>(count); }
__device__ __forceinline__ double mean_of(double sum, int64_t count) { return sum / static_cast<double>(count); }
__device__ __forceinline__ bool mean_of(bool sum, int64_t) { return sum; }
// Rounded down, as PyTorch divides integers here.
__device__ __forceinline__ int64_t mean_of(int64_t sum, int64_t count) {
  const int64_t quotient = sum / count;
  return quotient * count > sum ? quotient - 1 : quotient;
}

}  // namespace scatter_detail

template <ScatterReduce kReduce, bool kIncludeSelf, typename T>
class ScatterTotal {
 public:
  __device__ __forceinline__ explicit ScatterTotal(T self) : self_(self), total_(self), count_(kIncludeSelf ? 1 : 0) {}

  __device__ __forceinline__ void take(T value) {
    total_ = count_ == 0 || kReduce == ScatterReduce::kNone ? value : combined(total_, value);
    ++count_;
  }

  // Elements that nothing was sent to keep their value.
  __device__ __forceinline__ T result() const {
    if constexpr (kReduce == ScatterReduce::kMean) {
      return count_ == 0 ? self_ : scatter_detail::mean_of(total_, count_);
    } else {
      return count_ == 0 ? self_ : total_;
    }
  }

 private:
  static __device__ __forceinline__ T combined(T a, T b) {
    if constexpr (kReduce == ScatterReduce::kProd) {
      return a * b;
    } else if constexpr (kReduce == ScatterReduce::kAmax) {
      return scatter_detail::larger(b, a);
    } else if constexpr (kReduce == ScatterReduce::kAmin) {
      return scatter_detail::smaller(b, a);
    } else {
      return a + b;
    }
  }

  T self_;
  T total_;
  int64_t count_;
};

}  // namespace stitch
