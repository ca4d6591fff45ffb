// SPDX-License-Identifier: Apache-2.0
// Max and average pooling over windows that divide the input evenly into the output's extents; functors as in
// kernels/pool/window.cuh. For an output of 1 x 1 a row reduction (kept = plane) has more parallelism.
#pragma once

#include "kernels/pool/places.cuh"

namespace stitch {

namespace pool_detail {

__device__ __forceinline__ Spans adaptive_spans(const OutputPlace& out, const PoolShape& shape) {
  return {adaptive_span(out.z, shape.depth, shape.out_depth), adaptive_span(out.y, shape.height, shape.out_height),
          adaptive_span(out.x, shape.width, shape.out_width)};
}

template <int kRank, typename Load, typename Store>
__global__ void __launch_bounds__(kThreads)
    adaptive_average_pool_kernel(Load load, Store store, PoolShape shape, OutputDividers dividers) {
  const OutputPlace out = output_place<kRank>(dividers);
  if (out.valid) {
    const Spans spans = adaptive_spans(out, shape);
    const float sum = span_sum<kRank>(load, out.plane, spans);
    store_at<kRank>(store, out, sum / static_cast<float>(spans.elements()));
  }
}

template <int kRank, bool kIndices, typename Load, typename Store>
__global__ void __launch_bounds__(kThreads)
    adaptive_max_pool_kernel(Load load, Store store, PoolShape shape, OutputDividers dividers) {
  const OutputPlace out = output_place<kRank>(dividers);
  if (!out.valid) {
    return;
  }
  const Spans spans = adaptive_spans(out, shape);
  Largest<kIndices> largest;
  for (int64_t z = spans.z.begin; z < spans.z.end; ++z) {
    for (int64_t y = spans.y.begin; y < spans.y.end; ++y) {
      for (int64_t x = spans.x.begin; x < spans.x.end; ++x) {
        largest.add(load_at<kRank>(load, out.plane, z, y, x), shape, z, y, x);
      }
    }
  }
  largest.template store<kRank>(store, out);
}

}  // namespace pool_detail

template <int kRank = 2, typename Load, typename Store>
cudaError_t launch_adaptive_average_pool(const Load& load, const Store& store, const PoolShape& shape,
                                         cudaStream_t stream) {
  const pool_detail::OutputDividers dividers = pool_detail::output_dividers(shape);
  if (dividers.outputs == 0) {
    return cudaSuccess;
  }
  pool_detail::adaptive_average_pool_kernel<kRank, Load, Store>
      <<<pool_detail::pool_blocks(dividers), pool_detail::kThreads, 0, stream>>>(load, store, shape, dividers);
  return cudaGetLastError();
}

// kIndices: the store takes the index too.
template <int kRank = 2, bool kIndices = false, typename Load, typename Store>
cudaError_t launch_adaptive_max_pool(const Load& load, const Store& store, const PoolShape& shape,
                                     cudaStream_t stream) {
  const pool_detail::OutputDividers dividers = pool_detail::output_dividers(shape);
  if (dividers.outputs == 0) {
    return cudaSuccess;
  }
  pool_detail::adaptive_max_pool_kernel<kRank, kIndices, Load, Store>
      <<<pool_detail::pool_blocks(dividers), pool_detail::kThreads, 0, stream>>>(load, store, shape, dividers);
  return cudaGetLastError();
}

}  // namespace stitch
