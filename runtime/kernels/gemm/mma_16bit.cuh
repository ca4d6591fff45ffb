// SPDX-License-Identifier: Apache-2.0
// GEMM on the tensor cores for operands stored as __half or __nv_bfloat16, with fp32 sums (mma.m16n8k16, sm_80 and
// later). Two neighbours along K are one 32-bit word: fragments of m16n8k8 over words are those of m16n8k16 over what
// the words hold, so the loop for floats multiplies them without knowing better. An operand along K is moved as words;
// one across K becomes words as it leaves shared memory (kernels/gemm/half_operand.cuh). Where rows are odd, operands
// become floats on their way into shared memory and 16-bit again, without loss, on their way out.
#pragma once

#include "kernels/common/half.cuh"
#include "kernels/gemm/half_operand.cuh"
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
  const OperandView<T> lhs_view{batch_start(lhs, place.batch, shape.levels()), lhs.row_stride, lhs.column_stride,
                                shape.m, aligned.lhs};
  const OperandView<T> rhs_view{batch_start(rhs, place.batch, shape.levels()), rhs.column_stride, rhs.row_stride,
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

// How an operand's elements come in words of two neighbours along K.
template <int kOuter, int kDepth, int kThreads, Layout kLayout, typename T, bool kWide>
struct PairsOperand {
  using Type = HalfAsyncOperand<kOuter, kDepth, kThreads, T, kWide>;

  static __device__ __forceinline__ Type of(const OperandView<T>& view, int64_t first_outer, int64_t /*k_end*/,
                                            int64_t k_end_elements) {
    return Type(view, first_outer, k_end_elements);
  }
};
template <int kOuter, int kDepth, int kThreads, typename T, bool kWide>
struct PairsOperand<kOuter, kDepth, kThreads, Layout::kContiguousK, T, kWide> {
  using Type = MmaAsyncOperand<kOuter, kDepth, kThreads, Layout::kContiguousK, kWide>;

  static __device__ __forceinline__ Type of(const OperandView<T>& view, int64_t first_outer, int64_t k_end,
                                            int64_t /*k_end_elements*/) {
    return Type({reinterpret_cast<const float*>(view.data), view.outer_stride / 2, 1, view.outer_extent, kWide},
                first_outer, k_end);
  }
};

// words: the shape with K counted in pairs; depth: K in elements.
template <typename Tile, Layout kLhsLayout, Layout kRhsLayout, typename T, bool kWide, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, MmaResidency<Pairs<T>, Tile>::kBlocks)
    gemm_pairs_kernel(GemmShape words, int64_t depth, StridedMatrix<T> lhs, StridedMatrix<T> rhs, BlockRaster raster,
                      Epilogue epilogue) {
  extern __shared__ __align__(16) float shared_tiles[];
  using Lhs = PairsOperand<Tile::m, Tile::k, Tile::threads, kLhsLayout, T, kWide>;
  using Rhs = PairsOperand<Tile::n, Tile::k, Tile::threads, kRhsLayout, T, kWide>;
  const BlockPlace place = raster.place();
  const int64_t k_end_elements = 2 * place.k_end < depth ? 2 * place.k_end : depth;
  typename Lhs::Type lhs_operand =
      Lhs::of({batch_start(lhs, place.batch, words.levels()), lhs.row_stride, lhs.column_stride, words.m, kWide},
              place.row, place.k_end, k_end_elements);
  typename Rhs::Type rhs_operand =
      Rhs::of({batch_start(rhs, place.batch, words.levels()), rhs.column_stride, rhs.row_stride, words.n, kWide},
              place.column, place.k_end, k_end_elements);
  mma_block<Pairs<T>, Tile>(lhs_operand, rhs_operand, shared_tiles, words, place,
                            place.split * words.batch + place.batch, epilogue);
}

template <typename Tile, Layout kLhsLayout, Layout kRhsLayout, bool kWide, typename T, typename Epilogue>
cudaError_t launch_pairs(const GemmShape& shape, const StridedMatrix<T>& lhs, const StridedMatrix<T>& rhs,
                         const Epilogue& epilogue, int64_t splits, cudaStream_t stream) {
  GemmShape words = shape;
  words.k = ceil_divide(shape.k, 2);
  const BlockRaster raster(words, Tile::m, Tile::n, Tile::k, splits);
  if (raster.blocks() == 0) {
    return cudaSuccess;
  }
  const auto kernel = gemm_pairs_kernel<Tile, kLhsLayout, kRhsLayout, T, kWide, Epilogue>;
  const cudaError_t error = allow_shared_memory(kernel, Tile::shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  kernel<<<static_cast<unsigned>(raster.blocks()), Tile::threads, Tile::shared_bytes, stream>>>(words, shape.k, lhs,
                                                                                                rhs, raster, epilogue);
  return cudaGetLastError();
}

// Whether all rows start at a multiple of so many bytes.
template <typename T>
bool rows_start_at(const StridedMatrix<T>& matrix, int64_t row_stride, int64_t bytes) {
  const int64_t strides = matrix.batch_stride | matrix.inner_batch_stride | matrix.middle_batch_stride | row_stride;
  return reinterpret_cast<uintptr_t>(matrix.data) % bytes == 0 && strides % (bytes / int64_t{sizeof(T)}) == 0;
}

template <typename Tile, Layout kLhsLayout, Layout kRhsLayout, typename T, typename Epilogue>
cudaError_t launch_16bit(const GemmShape& shape, const StridedMatrix<T>& lhs, const StridedMatrix<T>& rhs,
                         const Epilogue& epilogue, int64_t splits, cudaStream_t stream) {
  constexpr bool kLhsAlongK = kLhsLayout == Layout::kContiguousK, kRhsAlongK = kRhsLayout == Layout::kContiguousK;
  constexpr int64_t kMostRowStride = int64_t{1} << 23;  // MmaAsyncOperand's offsets have 32 bits
  const int64_t lhs_rows = kLhsAlongK ? lhs.row_stride : lhs.column_stride;
  const int64_t rhs_rows = kRhsAlongK ? rhs.column_stride : rhs.row_stride;
  const auto rows_start = [&](int64_t bytes) {
    return rows_start_at(lhs, lhs_rows, bytes) && rows_start_at(rhs, rhs_rows, bytes);
  };
  const bool whole_pairs = (!kLhsAlongK && !kRhsAlongK) || shape.k % 2 == 0;
  if (!whole_pairs || !rows_start(4)) {
    return launch_converted<Tile, kLhsLayout, kRhsLayout>(shape, lhs, rhs, epilogue, splits, stream);
  }
  const bool near = lhs_rows >= 0 && rhs_rows >= 0 && lhs_rows < kMostRowStride && rhs_rows < kMostRowStride;
  return near && rows_start(16)
             ? launch_pairs<Tile, kLhsLayout, kRhsLayout, true>(shape, lhs, rhs, epilogue, splits, stream)
             : launch_pairs<Tile, kLhsLayout, kRhsLayout, false>(shape, lhs, rhs, epilogue, splits, stream);
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
