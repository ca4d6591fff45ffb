// SPDX-License-Identifier: Apache-2.0
// GEMM on the tensor cores by mma.sync (sm_80 and later), operands stored as float. Math is one of
// kernels/gemm/mma_policy.cuh: Tf32x3 (fp32-class), Tf32, Bf16, Fp16.
#pragma once

#include "kernels/gemm/mma_mainloop.cuh"
#include "kernels/gemm/mma_operand.cuh"
#include "kernels/gemm/split_k.cuh"

namespace stitch {

using MmaTileLarge = MmaTile<128, 128, 32, 2, 4, 3>;  // 256 threads, 96 KB of shared memory
using MmaTileBroad = MmaTile<64, 128, 32, 1, 4, 3>;   // 128 threads, 72 KB
using MmaTileMedium = MmaTile<64, 64, 32, 2, 2, 3>;   // 128 threads, 48 KB
using MmaTileSmall = MmaTile<32, 64, 32, 1, 2, 3>;    // 64 threads, 36 KB: small outputs
using MmaTileWide = MmaTile<32, 128, 32, 1, 4, 3>;    // 128 threads, 60 KB: few rows

namespace mma_detail {

template <typename Prologue>
struct BatchPrologue {
  Prologue prologue;
  int64_t batch;

  __device__ __forceinline__ float operator()(int64_t outer, int64_t k, float value) const {
    return prologue(batch, outer, k, value);
  }
};

template <typename T>
inline constexpr bool kIsNoPrologue = false;
template <>
inline constexpr bool kIsNoPrologue<NoPrologue> = true;

template <typename Math, typename Tile, Layout kLhsLayout, Layout kRhsLayout, bool kWide, typename Prologue,
          typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, MmaResidency<Math, Tile>::kBlocks)
    gemm_mma_kernel(GemmShape shape, StridedMatrix<float> lhs, StridedMatrix<float> rhs, BlockRaster raster,
                    Prologue prologue, Epilogue epilogue) {
  extern __shared__ __align__(16) float shared_tiles[];
  const BlockPlace place = raster.place();
  const int64_t batch = place.split * shape.batch + place.batch;
  const OperandView<float> lhs_view{batch_start(lhs, place.batch, shape.levels()), lhs.row_stride, lhs.column_stride,
                                    shape.m, kWide};
  const OperandView<float> rhs_view{batch_start(rhs, place.batch, shape.levels()), rhs.column_stride, rhs.row_stride,
                                    shape.n, kWide};
  MmaAsyncOperand<Tile::n, Tile::k, Tile::threads, kRhsLayout, kWide> rhs_operand(rhs_view, place.column, place.k_end);
  if constexpr (kIsNoPrologue<Prologue>) {
    MmaAsyncOperand<Tile::m, Tile::k, Tile::threads, kLhsLayout, kWide> lhs_operand(lhs_view, place.row, place.k_end);
    mma_block<Math, Tile>(lhs_operand, rhs_operand, shared_tiles, shape, place, batch, epilogue);
  } else {
    MmaTransformedOperand<Tile::m, Tile::k, Tile::threads, kLhsLayout, BatchPrologue<Prologue>> lhs_operand(
        lhs_view, place.row, place.k_end, {prologue, place.batch});
    mma_block<Math, Tile>(lhs_operand, rhs_operand, shared_tiles, shape, place, batch, epilogue);
  }
}

template <typename Math, typename Tile, Layout kLhsLayout, Layout kRhsLayout, typename Epilogue, typename Prologue>
cudaError_t launch_gemm(const GemmShape& shape, const StridedMatrix<float>& lhs, const StridedMatrix<float>& rhs,
                        const Epilogue& epilogue, int64_t splits, cudaStream_t stream, const Prologue& prologue) {
  const BlockRaster raster(shape, Tile::m, Tile::n, Tile::k, splits);
  if (raster.blocks() == 0) {
    return cudaSuccess;
  }
  const bool wide = copies_wide(lhs, kLhsLayout == Layout::kContiguousK ? lhs.row_stride : lhs.column_stride) &&
                    copies_wide(rhs, kRhsLayout == Layout::kContiguousK ? rhs.column_stride : rhs.row_stride);
  const auto kernel = wide ? gemm_mma_kernel<Math, Tile, kLhsLayout, kRhsLayout, true, Prologue, Epilogue>
                           : gemm_mma_kernel<Math, Tile, kLhsLayout, kRhsLayout, false, Prologue, Epilogue>;
  const cudaError_t error = allow_shared_memory(kernel, Tile::shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  kernel<<<static_cast<unsigned>(raster.blocks()), Tile::threads, Tile::shared_bytes, stream>>>(shape, lhs, rhs, raster,
                                                                                                prologue, epilogue);
  return cudaGetLastError();
}

}  // namespace mma_detail

// Any extents and strides are taken; 16-byte copies are used where pointers and strides allow.
template <typename Math, typename Tile, Layout kLhsLayout, Layout kRhsLayout, typename Epilogue,
          typename Prologue = NoPrologue>
cudaError_t launch_gemm_mma(const GemmShape& shape, const StridedMatrix<float>& lhs, const StridedMatrix<float>& rhs,
                            const Epilogue& epilogue, cudaStream_t stream, const Prologue& prologue = {}) {
  return mma_detail::launch_gemm<Math, Tile, kLhsLayout, kRhsLayout>(shape, lhs, rhs, epilogue, 1, stream, prologue);
}

// As launch_gemm_ffma_split_k. scratch: splits * batch * m * n * 4 bytes.
template <typename Math, typename Tile, Layout kLhsLayout, Layout kRhsLayout, typename Epilogue,
          typename Prologue = NoPrologue>
cudaError_t launch_gemm_mma_split_k(const GemmShape& shape, const StridedMatrix<float>& lhs,
                                    const StridedMatrix<float>& rhs, const Epilogue& epilogue, int64_t splits,
                                    void* scratch, cudaStream_t stream, const Prologue& prologue = {}) {
  const StorePartial store{static_cast<float*>(scratch), shape.m, shape.n};
  GemmShape partial_shape = shape;
  partial_shape.epilogue_vectorised = shape.n % 4 == 0;
  const cudaError_t error = mma_detail::launch_gemm<Math, Tile, kLhsLayout, kRhsLayout>(partial_shape, lhs, rhs, store,
                                                                                        splits, stream, prologue);
  if (error != cudaSuccess) {
    return error;
  }
  return launch_join_splits(shape, static_cast<const float*>(scratch), epilogue, splits, stream);
}

}  // namespace stitch
