// SPDX-License-Identifier: Apache-2.0
// Losses over many samples: the sum of weighted losses and the sum of the weights that counted, from which a mean or a
// sum follows. `splits` blocks take a part each; partial sums are joined in a fixed order.
//
// load: WeightedLoss operator()(int64_t sample) const; the loss already multiplied by its weight.
// store: void operator()(const WeightedLoss& total) const, called once.
// scratch: splits * sizeof(WeightedLoss) bytes.
#pragma once

#include "kernels/common.cuh"

namespace stitch {

struct WeightedLoss {
  float loss;
  float weight;

  __device__ __forceinline__ void merge(const WeightedLoss& other) {
    loss += other.loss;
    weight += other.weight;
  }
};

namespace loss_detail {

template <int kThreads, typename Load>
__global__ void __launch_bounds__(kThreads) weighted_sum_kernel(Load load, WeightedLoss* partials, int64_t samples) {
  WeightedLoss part{0.0f, 0.0f};
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t sample = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; sample < samples; sample += stride) {
    part.merge(load(sample));
  }
  part = block_merge<kThreads>(part);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = part;
  }
}

template <typename Store>
__global__ void __launch_bounds__(kWarpThreads) join_kernel(const WeightedLoss* partials, Store store, int64_t splits) {
  WeightedLoss total{0.0f, 0.0f};
  for (int64_t part = threadIdx.x; part < splits; part += kWarpThreads) {
    total.merge(partials[part]);
  }
  total = warp_merge<kWarpThreads>(total);
  if (threadIdx.x == 0) {
    store(total);
  }
}

}  // namespace loss_detail

template <int kThreads, typename Load, typename Store>
cudaError_t launch_weighted_sum(const Load& load, const Store& store, int64_t samples, int64_t splits, void* scratch,
                                cudaStream_t stream) {
  auto* partials = static_cast<WeightedLoss*>(scratch);
  loss_detail::weighted_sum_kernel<kThreads, Load>
      <<<static_cast<unsigned>(splits), kThreads, 0, stream>>>(load, partials, samples);
  loss_detail::join_kernel<Store><<<1, kWarpThreads, 0, stream>>>(partials, store, splits);
  return cudaGetLastError();
}

}  // namespace stitch
