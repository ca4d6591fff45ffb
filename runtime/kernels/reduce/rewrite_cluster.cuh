// SPDX-License-Identifier: Apache-2.0
// Rewriting reductions (kernels/reduce/rewrite.cuh) over rows that clusters keep: kernels/common/cluster_rows.cuh.
#pragma once

#include "kernels/common/cluster_rows.cuh"
#include "kernels/reduce/rewrite_rows.cuh"

namespace stitch {

template <typename Accumulator, int kThreads, typename Load, typename Term, typename Store>
cudaError_t launch_rewrite_cluster(const Load& load, const Term& term, const Store& store, const ClusterRowShape& shape,
                                   cudaStream_t stream) {
  return launch_cluster_rows<Accumulator, kThreads>(load, term, store, reduce_detail::FinishWithTotal{}, shape, stream);
}

}  // namespace stitch
