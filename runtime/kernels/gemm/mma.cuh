// SPDX-License-Identifier: Apache-2.0
// GEMM on the tensor cores by mma.sync (sm_80 and later), operands stored as float.
//
// Math policies:
//   Tf32x3  fp32-class: operands split into two TF32 parts, three products, partial sums promoted into fp32 registers
//           every 128 of K. Outputs that come out non-finite are computed again in plain fp32.
//   Tf32    one product (mode `tf32`).
//   Bf16, Fp16  operands rounded to 16 bits, one product (mode `reduced`).
#pragma once

#include "kernels/gemm/operands.cuh"

namespace stitch {

struct Tf32x3;
struct Tf32;
struct Bf16;
struct Fp16;

// Block tile kM x kN x kK, warps in a grid of kWarpsM x kWarpsN, kStages tiles in flight.
template <int kM, int kN, int kK, int kWarpsM, int kWarpsN, int kStages>
struct MmaTile {
  static constexpr int m = kM, n = kN, k = kK, warps_m = kWarpsM, warps_n = kWarpsN, stages = kStages;
  static constexpr int threads = kWarpsM * kWarpsN * 32;
};

using MmaTileLarge = MmaTile<128, 128, 32, 2, 4, 3>;  // 256 threads, 96 KB of shared memory
using MmaTileMedium = MmaTile<64, 64, 32, 2, 2, 4>;   // 128 threads
using MmaTileSmall = MmaTile<32, 64, 32, 1, 2, 4>;    // 64 threads

// Any extents and strides are taken; 16-byte copies are used where pointers and strides allow.
template <typename Math, typename Tile, Layout kLayoutA, Layout kLayoutB, typename Epilogue,
          typename Prologue = NoPrologue>
cudaError_t launch_gemm_mma(const GemmShape& shape, const StridedMatrix<float>& a, const StridedMatrix<float>& b,
                            const Epilogue& epilogue, cudaStream_t stream, const Prologue& prologue = {});

// As launch_gemm_ffma_split_k. scratch: splits * batch * m * n * 4 bytes.
template <typename Math, typename Tile, Layout kLayoutA, Layout kLayoutB, typename Epilogue,
          typename Prologue = NoPrologue>
cudaError_t launch_gemm_mma_split_k(const GemmShape& shape, const StridedMatrix<float>& a,
                                    const StridedMatrix<float>& b, const Epilogue& epilogue, int64_t splits,
                                    void* scratch, cudaStream_t stream, const Prologue& prologue = {});

}  // namespace stitch
