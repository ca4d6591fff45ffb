// SPDX-License-Identifier: Apache-2.0
// Reductions of float64, plain: a block of 128 threads walks over one row, then joins what they found in a fixed order.
//
// load: double operator()(int64_t kept, int64_t reduced) const.
// store: void operator()(int64_t kept, const Accumulator& total) const, called by one thread per kept index.
#pragma once

#include "kernels/reduce/accumulators.cuh"

namespace stitch::double_precision {

struct SumAccumulator {
  double sum = 0.0;

  __device__ __forceinline__ void add(double value) { sum += value; }
  __device__ __forceinline__ void merge(const SumAccumulator& other) { sum += other.sum; }
};

// NaN wins, as in torch.amax.
struct MaxAccumulator {
  double value = -double{INFINITY};

  __device__ __forceinline__ void add(double candidate) { value = maximum(candidate, value); }
  __device__ __forceinline__ void merge(const MaxAccumulator& other) { add(other.value); }
};

struct MinAccumulator {
  double value = double{INFINITY};

  __device__ __forceinline__ void add(double candidate) { value = minimum(candidate, value); }
  __device__ __forceinline__ void merge(const MinAccumulator& other) { add(other.value); }
};

// Mean and sum of squared deviations.
struct WelfordAccumulator {
  double mean = 0.0;
  double squared_deviations = 0.0;
  double count = 0.0;

  __device__ __forceinline__ void add(double value) { merge({value, 0.0, 1.0}); }

  __device__ __forceinline__ void merge(const WelfordAccumulator& other) { join_moments(*this, other); }

  __device__ __forceinline__ double variance(double correction) const {
    return squared_deviations / (count - correction);
  }
};

constexpr int kThreads = 128;

template <typename Accumulator, typename Load, typename Store>
__global__ void __launch_bounds__(kThreads) reduce_kernel(Load load, Store store, int64_t reduced) {
  Accumulator accumulator;
  const int64_t kept = blockIdx.x;
  for (int64_t at = threadIdx.x; at < reduced; at += kThreads) {
    accumulator.add(load(kept, at));
  }
  const Accumulator total = block_merge<kThreads>(accumulator);
  if (threadIdx.x == 0) {
    store(kept, total);
  }
}

template <typename Accumulator, typename Load, typename Store>
cudaError_t launch_reduce(const Load& load, const Store& store, int64_t kept, int64_t reduced, cudaStream_t stream) {
  if (kept == 0) {
    return cudaSuccess;
  }
  reduce_kernel<Accumulator, Load, Store><<<static_cast<unsigned>(kept), kThreads, 0, stream>>>(load, store, reduced);
  return cudaGetLastError();
}

}  // namespace stitch::double_precision
