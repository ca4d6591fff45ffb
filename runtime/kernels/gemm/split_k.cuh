// SPDX-License-Identifier: Apache-2.0
// Split K: every split writes its partial sums to scratch as a matrix of its own, and a second kernel adds them in the
// order of the splits before the epilogue: the same result on every run.
#pragma once

#include "kernels/gemm/operands.cuh"

namespace stitch {

// The epilogue of the first stage; `matrix` is split * batch + batch index.
struct StorePartial {
  float* scratch;
  int64_t m;
  int64_t n;

  __device__ __forceinline__ void operator()(int64_t matrix, int64_t row, int64_t column, float value) const {
    scratch[(matrix * m + row) * n + column] = value;
  }

  template <int kLanes>
  __device__ __forceinline__ void lanes(int64_t matrix, int64_t row, int64_t column,
                                        const Lanes<float, kLanes>& values) const {
    store_global_lanes(scratch + (matrix * m + row) * n + column, values);
  }
};

namespace split_k_detail {

constexpr int kThreads = 256;
constexpr int kMostLanes = 4;

// Each thread joins kLanes neighbouring outputs; with more than one, columns are a multiple of them.
template <int kLanes, typename Epilogue>
__global__ void __launch_bounds__(kThreads) join_splits_kernel(const float* partials, Epilogue epilogue, int64_t splits,
                                                               Divider rows, Divider columns, int64_t outputs) {
  const int64_t linear = (static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kLanes;
  if (linear >= outputs) {
    return;
  }
  Lanes<float, kLanes> sums{};
#pragma unroll 4
  for (int64_t split = 0; split < splits; ++split) {
    const Lanes<float, kLanes> part = load_lanes<kLanes>(partials + split * outputs + linear);
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      sums[lane] += part[lane];
    }
  }
  const QuotientRemainder row = columns.divide(linear);
  const QuotientRemainder matrix = rows.divide(row.quotient);
  if constexpr (kLanes == 1) {
    epilogue(matrix.quotient, matrix.remainder, row.remainder, sums[0]);
  } else {
    epilogue.template lanes<kLanes>(matrix.quotient, matrix.remainder, row.remainder, sums);
  }
}

template <int kLanes, typename Epilogue>
cudaError_t launch_join(const GemmShape& shape, const float* partials, const Epilogue& epilogue, int64_t splits,
                        cudaStream_t stream) {
  const int64_t outputs = shape.batch * shape.m * shape.n;
  const auto blocks = static_cast<unsigned>(ceil_divide(outputs, kThreads * kLanes));
  join_splits_kernel<kLanes>
      <<<blocks, kThreads, 0, stream>>>(partials, epilogue, splits, Divider(shape.m), Divider(shape.n), outputs);
  return cudaGetLastError();
}

}  // namespace split_k_detail

template <typename Epilogue>
cudaError_t launch_join_splits(const GemmShape& shape, const float* partials, const Epilogue& epilogue, int64_t splits,
                               cudaStream_t stream) {
  using split_k_detail::kMostLanes;
  if constexpr (requires { epilogue.template lanes<kMostLanes>(splits, splits, splits, Lanes<float, kMostLanes>{}); }) {
    if (shape.epilogue_vectorised) {
      return split_k_detail::launch_join<kMostLanes>(shape, partials, epilogue, splits, stream);
    }
  }
  return split_k_detail::launch_join<1>(shape, partials, epilogue, splits, stream);
}

}  // namespace stitch
