// SPDX-License-Identifier: Apache-2.0
// Functors of scans (kernels/scan/row.cuh) whose elements are not scanned as they lie: from the end of each row, or
// each one place later.
#pragma once

#include "kernels/common/row.cuh"

namespace stitch {

// Column `columns - 1 - column` of a loader.
template <typename Load>
struct ReversedLoad {
  Load load;
  int64_t columns;

  __device__ __forceinline__ auto operator()(int64_t row, int64_t column) const {
    return load(row, columns - 1 - column);
  }

  template <int kLanes>
  __device__ __forceinline__ Lanes<float, kLanes> lanes(int64_t row, int64_t column) const
    requires requires { load.template lanes<kLanes>(row, column); }
  {
    const Lanes<float, kLanes> found = load.template lanes<kLanes>(row, columns - kLanes - column);
    Lanes<float, kLanes> turned;
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      turned[lane] = found[kLanes - 1 - lane];
    }
    return turned;
  }
};

// Column `columns - 1 - column` of a storer.
template <typename Store>
struct ReversedStore {
  Store store;
  int64_t columns;

  template <typename Value>
  __device__ __forceinline__ void operator()(int64_t row, int64_t column, const Value& value) const
    requires requires { store(row, column, value); }
  {
    store(row, columns - 1 - column, value);
  }

  template <int kLanes>
  __device__ __forceinline__ void lanes(int64_t row, int64_t column, const Lanes<float, kLanes>& values) const
    requires requires { store.template lanes<kLanes>(row, column, values); }
  {
    Lanes<float, kLanes> turned;
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      turned[lane] = values[kLanes - 1 - lane];
    }
    store.template lanes<kLanes>(row, columns - kLanes - column, turned);
  }
};

// Column `column - 1` of a loader, and `first` before them: what a scan that leaves out each result's own element adds
// up. Lanes read as many elements where they lie, and the one before them.
template <typename Load, typename Element>
struct LaterLoad {
  Load load;
  Element first;

  __device__ __forceinline__ Element operator()(int64_t row, int64_t column) const {
    return column == 0 ? first : load(row, column - 1);
  }

  template <int kLanes>
  __device__ __forceinline__ Lanes<float, kLanes> lanes(int64_t row, int64_t column) const
    requires requires { load.template lanes<kLanes>(row, column); }
  {
    const Lanes<float, kLanes> found = load.template lanes<kLanes>(row, column);
    Lanes<float, kLanes> later;
    later[0] = (*this)(row, column);
#pragma unroll
    for (int lane = 1; lane < kLanes; ++lane) {
      later[lane] = found[lane - 1];
    }
    return later;
  }
};

}  // namespace stitch
