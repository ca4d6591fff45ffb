// SPDX-License-Identifier: Apache-2.0
// What a running reduction keeps. Each is a struct of 32-bit words with
//   using Element; static identity(); static of(Element, int64_t column); append(const State& later)
// where append() is associative but need not be symmetric.
#pragma once

#include "kernels/common.cuh"
#include "kernels/reduce/accumulators.cuh"

namespace stitch {

template <typename T>
struct SumScan {
  using Element = T;
  T value;
  static __device__ __forceinline__ SumScan identity() { return {T(0)}; }
  static __device__ __forceinline__ SumScan of(T value, int64_t) { return {value}; }
  __device__ __forceinline__ void append(const SumScan& later) { value += later.value; }
};

template <typename T>
struct ProductScan {
  using Element = T;
  T value;
  static __device__ __forceinline__ ProductScan identity() { return {T(1)}; }
  static __device__ __forceinline__ ProductScan of(T value, int64_t) { return {value}; }
  __device__ __forceinline__ void append(const ProductScan& later) { value *= later.value; }
};

// The largest (or smallest) element so far and the last position it stood at, as in torch.cummax: once there is a NaN
// it stays, and later NaNs move the position.
template <typename T, bool kLargest>
struct ExtremeScan {
  using Element = T;
  T value;
  int64_t index;  // -1: nothing yet
  static __device__ __forceinline__ ExtremeScan identity() { return {T(), -1}; }
  static __device__ __forceinline__ ExtremeScan of(T value, int64_t column) { return {value, column}; }
  __device__ __forceinline__ void append(const ExtremeScan& later) {
    const bool is_later_nan = later.value != later.value;
    const bool is_mine_nan = value != value;
    const bool is_as_good = kLargest ? later.value >= value : later.value <= value;
    if (later.index >= 0 && (index < 0 || is_later_nan || (!is_mine_nan && is_as_good))) {
      *this = later;
    }
  }
};

struct LogSumExpScan {
  using Element = float;
  LogSumExpAccumulator total;
  static __device__ __forceinline__ LogSumExpScan identity() { return {LogSumExpAccumulator::identity()}; }
  static __device__ __forceinline__ LogSumExpScan of(float value, int64_t) {
    LogSumExpScan scan = identity();
    const float single[1] = {value};
    scan.total.add(single);
    return scan;
  }
  __device__ __forceinline__ void append(const LogSumExpScan& later) { total.merge(later.total); }
};

}  // namespace stitch
