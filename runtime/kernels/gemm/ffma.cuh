// SPDX-License-Identifier: Apache-2.0
// GEMM on the ordinary fp32 pipes: tiles in shared memory, sub-tiles in registers, loads of the next tile in flight
// while the current one is multiplied. Works on every architecture; exact fp32 products and sums.
#pragma once

#include "kernels/gemm/ffma_mainloop.cuh"
#include "kernels/gemm/ffma_operand.cuh"
#include "kernels/gemm/split_k.cuh"

namespace stitch {

using FfmaTileLarge = FfmaTile<128, 128, 16, 8, 8>;  // 256 threads: both m and n well beyond 128
using FfmaTileMedium = FfmaTile<64, 64, 16, 4, 4>;   // 256 threads: more blocks for the same output
using FfmaTileSmall = FfmaTile<32, 32, 16, 4, 2>;    // 128 threads: small outputs
using FfmaTileTall = FfmaTile<128, 32, 16, 8, 4>;    // 128 threads: few columns
using FfmaTileWide = FfmaTile<32, 128, 16, 4, 8>;    // 128 threads: few rows

namespace ffma_detail {

// The prologue of one batch element, as the tile loader calls it.
template <typename Prologue>
struct BatchPrologue {
  Prologue prologue;
  int64_t batch;

  __device__ __forceinline__ float operator()(int64_t outer, int64_t k, float value) const {
    return prologue(batch, outer, k, value);
  }
};

struct NoTransform {
  __device__ __forceinline__ float operator()(int64_t, int64_t, float value) const { return value; }
};

struct Alignment {
  bool lhs;
  bool rhs;
};

template <typename Tile, Layout kLhsLayout, Layout kRhsLayout, typename TLhs, typename TRhs, typename Prologue,
          typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, 512 / Tile::threads)
    gemm_ffma_kernel(GemmShape shape, StridedMatrix<TLhs> lhs, StridedMatrix<TRhs> rhs, Alignment aligned,
                     BlockRaster raster, Prologue prologue, Epilogue epilogue) {
  const BlockPlace place = raster.place();
  const OperandView<TLhs> lhs_view{batch_start(lhs, place.batch, shape.levels()), lhs.row_stride, lhs.column_stride,
                                   shape.m, aligned.lhs};
  const OperandView<TRhs> rhs_view{batch_start(rhs, place.batch, shape.levels()), rhs.column_stride, rhs.row_stride,
                                   shape.n, aligned.rhs};
  FfmaOperand<Tile::m, Tile::k, Tile::threads, kLhsLayout, TLhs, BatchPrologue<Prologue>> lhs_operand(
      lhs_view, place.row, place.k_end, {prologue, place.batch});
  FfmaOperand<Tile::n, Tile::k, Tile::threads, kRhsLayout, TRhs, NoTransform> rhs_operand(rhs_view, place.column,
                                                                                          place.k_end, NoTransform{});
  ffma_block<Tile>(lhs_operand, rhs_operand, shape, place, place.split * shape.batch + place.batch, epilogue);
}

template <typename Tile, Layout kLhsLayout, Layout kRhsLayout, typename TLhs, typename TRhs, typename Epilogue,
          typename Prologue>
cudaError_t launch_gemm(const GemmShape& shape, const StridedMatrix<TLhs>& lhs, const StridedMatrix<TRhs>& rhs,
                        const Epilogue& epilogue, int64_t splits, cudaStream_t stream, const Prologue& prologue) {
  const BlockRaster raster(shape, Tile::m, Tile::n, Tile::k, splits);
  if (raster.blocks() == 0) {
    return cudaSuccess;
  }
  const Alignment aligned{
      groups_aligned(lhs, kLhsLayout == Layout::kContiguousK ? lhs.row_stride : lhs.column_stride),
      groups_aligned(rhs, kRhsLayout == Layout::kContiguousK ? rhs.column_stride : rhs.row_stride),
  };
  gemm_ffma_kernel<Tile, kLhsLayout, kRhsLayout, TLhs, TRhs, Prologue, Epilogue>
      <<<static_cast<unsigned>(raster.blocks()), Tile::threads, 0, stream>>>(shape, lhs, rhs, aligned, raster, prologue,
                                                                             epilogue);
  return cudaGetLastError();
}

}  // namespace ffma_detail

template <typename Tile, Layout kLhsLayout, Layout kRhsLayout, typename TLhs, typename TRhs, typename Epilogue,
          typename Prologue = NoPrologue>
cudaError_t launch_gemm_ffma(const GemmShape& shape, const StridedMatrix<TLhs>& lhs, const StridedMatrix<TRhs>& rhs,
                             const Epilogue& epilogue, cudaStream_t stream, const Prologue& prologue = {}) {
  return ffma_detail::launch_gemm<Tile, kLhsLayout, kRhsLayout>(shape, lhs, rhs, epilogue, 1, stream, prologue);
}

// Deep K, small m * n: `splits` blocks share an output tile, their partial sums joined in a fixed order.
// scratch: splits * batch * m * n * 4 bytes.
template <typename Tile, Layout kLhsLayout, Layout kRhsLayout, typename TLhs, typename TRhs, typename Epilogue,
          typename Prologue = NoPrologue>
cudaError_t launch_gemm_ffma_split_k(const GemmShape& shape, const StridedMatrix<TLhs>& lhs,
                                     const StridedMatrix<TRhs>& rhs, const Epilogue& epilogue, int64_t splits,
                                     void* scratch, cudaStream_t stream, const Prologue& prologue = {}) {
  const StorePartial store{static_cast<float*>(scratch), shape.m, shape.n};
  GemmShape partial_shape = shape;
  partial_shape.epilogue_vectorised = shape.n % 4 == 0;
  const cudaError_t error =
      ffma_detail::launch_gemm<Tile, kLhsLayout, kRhsLayout>(partial_shape, lhs, rhs, store, splits, stream, prologue);
  if (error != cudaSuccess) {
    return error;
  }
  return launch_join_splits(shape, static_cast<const float*>(scratch), epilogue, splits, stream);
}

}  // namespace stitch
