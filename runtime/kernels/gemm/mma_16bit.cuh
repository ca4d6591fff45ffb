// SPDX-License-Identifier: Apache-2.0
// GEMM on the tensor cores for operands stored as __half or __nv_bfloat16, with fp32 sums (mma.m16n8k16, sm_80 and
// later). Where both operands are contiguous along K and their rows are even, two neighbours are one 32-bit word, and
// the loop for floats moves and reads words without knowing better: fragments of m16n8k8 over words are those of
// m16n8k16 over what the words hold. Otherwise operands become floats on their way into shared memory and 16-bit again,
// without loss, on their way out.
#pragma once

#include "kernels/common/half.cuh"
#include "kernels/gemm/mma.cuh"

namespace stitch {

namespace mma_detail {

template <typename T>
struct SixteenBit;

template <>
struct SixteenBit<__half> {
  using Words = Fp16Words;
  using FromFloats = Fp16;
};

template <>
struct SixteenBit<__nv_bfloat16> {
  using Words = Bf16Words;
  using FromFloats = Bf16;
};

// A policy as in kernels/gemm/mma_policy.cuh whose "floats" are pairs of T.
template <typename T>
struct Pairs {
  static constexpr int kSteps = 1;
  static constexpr int kPromoteEvery = 0;
  static constexpr bool kRepairs = false;

  template <int kTilesM, int kTilesN>
  static __device__ __forceinline__ void multiply(MmaSums<kTilesM, kTilesN>& sums,
                                                  const MmaFragments<kTilesM, kTilesN, 1>& from) {
    multiply_converted<kTilesM, kTilesN>(
        sums, from, [](float pair) { return __float_as_uint(pair); },
        [](float(&d)[4], const uint32_t(&a)[4], const uint32_t(&b)[2]) { SixteenBit<T>::Words::multiply(d, a, b); });
  }
};

struct AsStored {
  __device__ __forceinline__ float operator()(int64_t, int64_t, float value) const { return value; }
};

struct OperandsAligned {
  bool lhs;
  bool rhs;
};

template <typename Tile, Layout kLhsLayout, Layout kRhsLayout, typename T, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, MmaResidency<typename SixteenBit<T>::FromFloats, Tile>::kBlocks)
    gemm_16bit_kernel(GemmShape shape, StridedMatrix<T> lhs, StridedMatrix<T> rhs, OperandsAligned aligned,
                      BlockRaster raster, Epilogue epilogue) {
  extern __shared__ __align__(16) float shared_tiles[];
  const BlockPlace place = raster.place();
  const OperandView<T> lhs_view{batch_start(lhs, place.batch, shape.inner_batch), lhs.row_stride, lhs.column_stride,
                                shape.m, aligned.lhs};
  const OperandView<T> rhs_view{batch_start(rhs, place.batch, shape.inner_batch), rhs.column_stride, rhs.row_stride,
                                shape.n, aligned.rhs};
  MmaTransformedOperand<Tile::m, Tile::k, Tile::threads, kLhsLayout, AsStored, T> lhs_operand(lhs_view, place.row,
                                                                                              place.k_end, {});
  MmaTransformedOperand<Tile::n, Tile::k, Tile::threads, kRhsLayout, AsStored, T> rhs_operand(rhs_view, place.column,
                                                                                              place.k_end, {});
  mma_block<typename SixteenBit<T>::FromFloats, Tile>(lhs_operand, rhs_operand, shared_tiles, shape, place,
                                                      place.split * shape.batch + place.batch, epilogue);
}

template <typename Tile, Layout kLhsLayout, Layout kRhsLayout, typename T, typename Epilogue>
cudaError_t launch_converted(const GemmShape& shape, const StridedMatrix<T>& lhs, const StridedMatrix<T>& rhs,
                             const Epilogue& epilogue, int64_t splits, cudaStream_t stream) {
  const BlockRaster raster(shape, Tile::m, Tile::n, Tile::k, splits);
  if (raster.blocks() == 0) {
    return cudaSuccess;
  }
  const OperandsAligned aligned{
      groups_aligned(lhs, kLhsLayout == Layout::kContiguousK ? lhs.row_stride : lhs.column_stride),
      groups_aligned(rhs, kRhsLayout == Layout::kContiguousK ? rhs.column_stride : rhs.row_stride)};
  const auto kernel = gemm_16bit_kernel<Tile, kLhsLayout, kRhsLayout, T, Epilogue>;
  const cudaError_t error = allow_shared_memory(kernel, Tile::shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  kernel<<<static_cast<unsigned>(raster.blocks()), Tile::threads, Tile::shared_bytes, stream>>>(
      shape, lhs, rhs, aligned, raster, epilogue);
  return cudaGetLastError();
}

template <typename T>
bool holds_pairs(const StridedMatrix<T>& matrix, int64_t outer_stride) {
  const int64_t strides = matrix.batch_stride | matrix.inner_batch_stride | outer_stride;
  return reinterpret_cast<uintptr_t>(matrix.data) % 4 == 0 && strides % 2 == 0;
}

// The matrix as words, each two neighbours along K.
template <typename T>
StridedMatrix<float> as_pairs(const StridedMatrix<T>& matrix, int64_t row_stride, int64_t column_stride) {
  return {reinterpret_cast<const float*>(matrix.data), matrix.batch_stride / 2, row_stride, column_stride,
          matrix.inner_batch_stride / 2};
}

template <typename Tile, Layout kLhsLayout, Layout kRhsLayout, typename T, typename Epilogue>
cudaError_t launch_16bit(const GemmShape& shape, const StridedMatrix<T>& lhs, const StridedMatrix<T>& rhs,
                         const Epilogue& epilogue, int64_t splits, cudaStream_t stream) {
  if constexpr (kLhsLayout == Layout::kContiguousK && kRhsLayout == Layout::kContiguousK) {
    if (shape.k % 2 == 0 && holds_pairs(lhs, lhs.row_stride) && holds_pairs(rhs, rhs.column_stride)) {
      GemmShape words = shape;
      words.k = shape.k / 2;
      return launch_gemm<Pairs<T>, Tile, kLhsLayout, kRhsLayout>(words, as_pairs(lhs, lhs.row_stride / 2, 1),
                                                                 as_pairs(rhs, 1, rhs.column_stride / 2), epilogue,
                                                                 splits, stream, NoPrologue{});
    }
  }
  return launch_converted<Tile, kLhsLayout, kRhsLayout>(shape, lhs, rhs, epilogue, splits, stream);
}

}  // namespace mma_detail

// Any extents and strides are taken. Tile: as launch_gemm_mma.
template <typename Tile, Layout kLhsLayout, Layout kRhsLayout, typename T, typename Epilogue>
cudaError_t launch_gemm_mma_16bit(const GemmShape& shape, const StridedMatrix<T>& lhs, const StridedMatrix<T>& rhs,
                                  const Epilogue& epilogue, cudaStream_t stream) {
  return mma_detail::launch_16bit<Tile, kLhsLayout, kRhsLayout>(shape, lhs, rhs, epilogue, 1, stream);
}

// As launch_gemm_ffma_split_k. scratch: splits * batch * m * n * 4 bytes.
template <typename Tile, Layout kLhsLayout, Layout kRhsLayout, typename T, typename Epilogue>
cudaError_t launch_gemm_mma_16bit_split_k(const GemmShape& shape, const StridedMatrix<T>& lhs,
                                          const StridedMatrix<T>& rhs, const Epilogue& epilogue, int64_t splits,
                                          void* scratch, cudaStream_t stream) {
  const StorePartial store{static_cast<float*>(scratch), shape.m, shape.n};
  GemmShape partial_shape = shape;
  partial_shape.epilogue_vectorised = shape.n % 4 == 0;
  const cudaError_t error =
      mma_detail::launch_16bit<Tile, kLhsLayout, kRhsLayout>(partial_shape, lhs, rhs, store, splits, stream);
  if (error != cudaSuccess) {
    return error;
  }
  return launch_join_splits(shape, static_cast<const float*>(scratch), epilogue, splits, stream);
}

}  // namespace stitch
