// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of long rows that blocks share: kernels/common/shared_rows.cuh.
#pragma once

#include "kernels/common/shared_rows.cuh"
#include "kernels/norm/layer_norm.cuh"

namespace stitch {

namespace layer_norm_detail {

struct NormalisedElement {
  float mean;
  float scale;

  __device__ __forceinline__ float operator()(float value) const { return (value - mean) * scale; }
};

struct FinishLayerNorm {
  float epsilon;

  __device__ __forceinline__ NormalisedElement operator()(const WelfordAccumulator& row) const {
    return {row.mean, 1.0f / sqrtf(row.variance(0.0f) + epsilon)};
  }
};

}  // namespace layer_norm_detail

// scratch: shared_rows_scratch_bytes<WelfordAccumulator>(rows, parts).
template <typename Load, typename Store>
cudaError_t launch_layer_norm_shared(const Load& load, const Store& store, const RowShape& shape, float epsilon,
                                     int64_t parts, void* scratch, cudaStream_t stream) {
  return launch_shared_rows<WelfordAccumulator>(load, store, layer_norm_detail::FinishLayerNorm{epsilon}, shape, parts,
                                                scratch, stream);
}

}  // namespace stitch
