// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax over long rows that blocks share: kernels/common/shared_rows.cuh.
#pragma once

#include "kernels/common/shared_rows.cuh"
#include "kernels/softmax/row.cuh"

namespace stitch {

namespace softmax_detail {

template <SoftmaxKind kKind>
struct SoftmaxOfElement {
  float largest;
  float scale;  // what softmax multiplies with, and what log_softmax takes away

  __device__ __forceinline__ float operator()(float value) const {
    return kKind == SoftmaxKind::kSoftmax ? expf(value - largest) * scale : value - largest - scale;
  }
};

template <SoftmaxKind kKind>
struct FinishSoftmax {
  __device__ __forceinline__ SoftmaxOfElement<kKind> operator()(const LogSumExpAccumulator& row) const {
    return {row.largest, kKind == SoftmaxKind::kSoftmax ? 1.0f / row.sum : logf(row.sum)};
  }
};

}  // namespace softmax_detail

// scratch: shared_rows_scratch_bytes<LogSumExpAccumulator>(rows, parts).
template <SoftmaxKind kKind, typename Load, typename Store>
cudaError_t launch_softmax_shared(const Load& load, const Store& store, const RowShape& shape, int64_t parts,
                                  void* scratch, cudaStream_t stream) {
  return launch_shared_rows<LogSumExpAccumulator>(load, store, softmax_detail::FinishSoftmax<kKind>{}, shape, parts,
                                                  scratch, stream);
}

}  // namespace stitch
