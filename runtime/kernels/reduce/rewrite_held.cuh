// SPDX-License-Identifier: Apache-2.0
// Rewriting reductions (kernels/reduce/rewrite.cuh) over long rows whose parts blocks hold:
// kernels/common/held_rows.cuh.
#pragma once

#include "kernels/common/held_rows.cuh"
#include "kernels/reduce/rewrite_rows.cuh"

namespace stitch {

// scratch: held_rows_scratch_bytes<Accumulator>(rows, parts).
template <typename Accumulator, int kThreads, int kPerThread, typename Load, typename Term, typename Store>
cudaError_t launch_rewrite_held(const Load& load, const Term& term, const Store& store, const RowShape& shape,
                                void* scratch, cudaStream_t stream) {
  return launch_held_rows<Accumulator, kThreads, kPerThread>(load, term, store, reduce_detail::FinishWithTotal{}, shape,
                                                             scratch, stream);
}

}  // namespace stitch
