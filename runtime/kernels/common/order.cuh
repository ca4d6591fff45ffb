// SPDX-License-Identifier: Apache-2.0
// The order that sort, topk and their like put elements in: by value, NaN greatest, equal values by position.
// It is total, so that a result never depends on how a network or a block happens to compare.
#pragma once

#include <stdint.h>

namespace stitch {

__device__ __forceinline__ bool is_below(float a, float b) { return a < b || (a == a && b != b); }
__device__ __forceinline__ bool is_below(double a, double b) { return a < b || (a == a && b != b); }
__device__ __forceinline__ bool is_below(int64_t a, int64_t b) { return a < b; }
__device__ __forceinline__ bool is_below(bool a, bool b) { return !a && b; }

// An element and where it stood.
template <typename T>
struct Placed {
  T value;
  int64_t position;
};

// Whether `a` comes before `b`.
template <bool kDescending, typename T>
__device__ __forceinline__ bool precedes(const Placed<T>& a, const Placed<T>& b) {
  const bool is_first = kDescending ? is_below(b.value, a.value) : is_below(a.value, b.value);
  const bool is_last = kDescending ? is_below(a.value, b.value) : is_below(b.value, a.value);
  return is_first || (!is_last && a.position < b.position);
}

}  // namespace stitch
