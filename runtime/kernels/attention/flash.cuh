// SPDX-License-Identifier: Apache-2.0
// Attention without the score matrix in memory: a block keeps a tile of queries and walks over tiles of keys and
// values with the online softmax. Ordinary fp32 pipes.
#pragma once

#include "kernels/attention/operands.cuh"

namespace stitch {

// kHeadDimension: 32, 64 or 128, at least the shape's head dimensions.
template <int kHeadDimension, bool kCausal, typename Mask, typename Store>
cudaError_t launch_flash_attention(const AttentionShape& shape, const AttentionOperand& query,
                                   const AttentionOperand& key, const AttentionOperand& value, const Mask& mask,
                                   const Store& store, cudaStream_t stream);

}  // namespace stitch
