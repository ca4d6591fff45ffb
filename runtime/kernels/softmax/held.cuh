// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax over long rows whose parts blocks hold: kernels/common/held_rows.cuh.
#pragma once

#include "kernels/common/held_rows.cuh"
#include "kernels/softmax/shared.cuh"

namespace stitch {

// scratch: held_rows_scratch_bytes<LogSumExpAccumulator>(rows, parts).
template <SoftmaxKind kKind, int kThreads, int kPerThread, typename Load, typename Store>
cudaError_t launch_softmax_held(const Load& load, const Store& store, const RowShape& shape, void* scratch,
                                cudaStream_t stream) {
  using Finish = softmax_detail::FinishSoftmax<kKind>;
  return launch_held_rows<LogSumExpAccumulator, kThreads, kPerThread>(
      load, OwnTerm{}, store, FinishByTransforming<Finish>{}, shape, scratch, stream);
}

}  // namespace stitch
