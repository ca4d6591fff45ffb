// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of rows that clusters keep: kernels/common/cluster_rows.cuh.
#pragma once

#include "kernels/common/cluster_rows.cuh"
#include "kernels/norm/layer_norm_held.cuh"

namespace stitch {

template <int kThreads, typename Load, typename Store>
cudaError_t launch_layer_norm_cluster(const Load& load, const Store& store, const ClusterRowShape& shape, float epsilon,
                                      cudaStream_t stream) {
  using Finish = layer_norm_detail::FinishLayerNorm;
  return launch_cluster_rows<WelfordAccumulator, kThreads>(load, OwnTerm{}, store,
                                                           FinishByTransforming<Finish>{{epsilon}}, shape, stream);
}

}  // namespace stitch
