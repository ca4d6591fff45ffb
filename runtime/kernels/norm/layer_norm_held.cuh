// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of long rows whose parts blocks hold: kernels/common/held_rows.cuh.
#pragma once

#include "kernels/common/held_rows.cuh"
#include "kernels/norm/layer_norm_shared.cuh"

namespace stitch {

// scratch: held_rows_scratch_bytes<WelfordAccumulator>(rows, parts).
template <int kThreads, int kPerThread, typename Load, typename Store>
cudaError_t launch_layer_norm_held(const Load& load, const Store& store, const RowShape& shape, float epsilon,
                                   void* scratch, cudaStream_t stream) {
  using Finish = layer_norm_detail::FinishLayerNorm;
  return launch_held_rows<WelfordAccumulator, kThreads, kPerThread>(
      load, OwnTerm{}, store, FinishByTransforming<Finish>{{epsilon}}, shape, scratch, stream);
}

}  // namespace stitch
