// SPDX-License-Identifier: Apache-2.0
// GEMM on the ordinary fp32 pipes: tiles in shared memory, sub-tiles in registers, loads of the next tile in flight
// while the current one is multiplied. Works on every architecture; exact fp32 products and sums.
#pragma once

#include "kernels/gemm/operands.cuh"

namespace stitch {

// Block tile kM x kN x kK, kThreadM x kThreadN outputs a thread.
template <int kM, int kN, int kK, int kThreadM, int kThreadN>
struct FfmaTile {
  static constexpr int m = kM, n = kN, k = kK, thread_m = kThreadM, thread_n = kThreadN;
  static constexpr int threads = (kM / kThreadM) * (kN / kThreadN);
};

using FfmaTileLarge = FfmaTile<128, 128, 16, 8, 8>;  // 256 threads: both m and n well beyond 128
using FfmaTileMedium = FfmaTile<64, 64, 16, 4, 4>;   // 256 threads: more blocks for the same output
using FfmaTileSmall = FfmaTile<32, 32, 16, 4, 2>;    // 128 threads: small outputs
using FfmaTileTall = FfmaTile<128, 32, 16, 8, 4>;    // 128 threads: few columns
using FfmaTileWide = FfmaTile<32, 128, 16, 4, 8>;    // 128 threads: few rows

template <typename Tile, Layout kLayoutA, Layout kLayoutB, typename TA, typename TB, typename Epilogue,
          typename Prologue = NoPrologue>
cudaError_t launch_gemm_ffma(const GemmShape& shape, const StridedMatrix<TA>& a, const StridedMatrix<TB>& b,
                             const Epilogue& epilogue, cudaStream_t stream, const Prologue& prologue = {});

// Deep K, small m * n: `splits` blocks share an output tile, their partial sums joined in a fixed order.
// scratch: splits * batch * m * n * 4 bytes.
template <typename Tile, Layout kLayoutA, Layout kLayoutB, typename TA, typename TB, typename Epilogue,
          typename Prologue = NoPrologue>
cudaError_t launch_gemm_ffma_split_k(const GemmShape& shape, const StridedMatrix<TA>& a, const StridedMatrix<TB>& b,
                                     const Epilogue& epilogue, int64_t splits, void* scratch, cudaStream_t stream,
                                     const Prologue& prologue = {});

}  // namespace stitch
