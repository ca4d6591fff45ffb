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
  bool a;
  bool b;
};

template <typename Tile, Layout kLayoutA, Layout kLayoutB, typename T, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, MmaResidency<typename SixteenBit<T>::FromFloats, Tile>::kBlocks)
    gemm_16bit_kernel(GemmShape shape, StridedMatrix<T> a, StridedMatrix<T> b, OperandsAligned aligned,
                      BlockRaster raster, Epilogue epilogue) {
  extern __shared__ __align__(16) float shared_tiles[];
  const BlockPlace place = raster.place();
  const OperandView<T> view_a{batch_start(a, place.batch, shape.inner_batch), a.row_stride, a.column_stride, shape.m,
                              aligned.a};
  const OperandView<T> view_b{batch_start(b, place.batch, shape.inner_batch), b.column_stride, b.row_stride, shape.n,
                              aligned.b};
  MmaTransformedOperand<Tile::m, Tile::k, Tile::threads, kLayoutA, AsStored, T> operand_a(view_a, place.row,
                                                                                          place.k_end, {});
  MmaTransformedOperand<Tile::n, Tile::k, Tile::threads, kLayoutB, AsStored, T> operand_b(view_b, place.column,
                                                                                          place.k_end, {});
  mma_block<typename SixteenBit<T>::FromFloats, Tile>(operand_a, operand_b, shared_tiles, shape, place,
                                                      place.split * shape.batch + place.batch, epilogue);
}

template <typename Tile, Layout kLayoutA, Layout kLayoutB, typename T, typename Epilogue>
cudaError_t launch_converted(const GemmShape& shape, const StridedMatrix<T>& a, const StridedMatrix<T>& b,
                             const Epilogue& epilogue, int64_t splits, cudaStream_t stream) {
  const BlockRaster raster(shape, Tile::m, Tile::n, Tile::k, splits);
  if (raster.blocks() == 0) {
    return cudaSuccess;
  }
  const OperandsAligned aligned{groups_aligned(a, kLayoutA == Layout::kContiguousK ? a.row_stride : a.column_stride),
                                groups_aligned(b, kLayoutB == Layout::kContiguousK ? b.column_stride : b.row_stride)};
  const auto kernel = gemm_16bit_kernel<Tile, kLayoutA, kLayoutB, T, Epilogue>;
  const cudaError_t error = allow_shared_memory(kernel, Tile::shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  kernel<<<static_cast<unsigned>(raster.blocks()), Tile::threads, Tile::shared_bytes, stream>>>(shape, a, b, aligned,
                                                                                                raster, epilogue);
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

template <typename Tile, Layout kLayoutA, Layout kLayoutB, typename T, typename Epilogue>
cudaError_t launch_16bit(const GemmShape& shape, const StridedMatrix<T>& a, const StridedMatrix<T>& b,
                         const Epilogue& epilogue, int64_t splits, cudaStream_t stream) {
  if constexpr (kLayoutA == Layout::kContiguousK && kLayoutB == Layout::kContiguousK) {
    if (shape.k % 2 == 0 && holds_pairs(a, a.row_stride) && holds_pairs(b, b.column_stride)) {
      GemmShape words = shape;
      words.k = shape.k / 2;
      return launch_gemm<Pairs<T>, Tile, kLayoutA, kLayoutB>(words, as_pairs(a, a.row_stride / 2, 1),
                                                             as_pairs(b, 1, b.column_stride / 2), epilogue, splits,
                                                             stream, NoPrologue{});
    }
  }
  return launch_converted<Tile, kLayoutA, kLayoutB>(shape, a, b, epilogue, splits, stream);
}

}  // namespace mma_detail

// Any extents and strides are taken. Tile: as launch_gemm_mma.
template <typename Tile, Layout kLayoutA, Layout kLayoutB, typename T, typename Epilogue>
cudaError_t launch_gemm_mma_16bit(const GemmShape& shape, const StridedMatrix<T>& a, const StridedMatrix<T>& b,
                                  const Epilogue& epilogue, cudaStream_t stream) {
  return mma_detail::launch_16bit<Tile, kLayoutA, kLayoutB>(shape, a, b, epilogue, 1, stream);
}

// As launch_gemm_ffma_split_k. scratch: splits * batch * m * n * 4 bytes.
template <typename Tile, Layout kLayoutA, Layout kLayoutB, typename T, typename Epilogue>
cudaError_t launch_gemm_mma_16bit_split_k(const GemmShape& shape, const StridedMatrix<T>& a, const StridedMatrix<T>& b,
                                          const Epilogue& epilogue, int64_t splits, void* scratch,
                                          cudaStream_t stream) {
  const StorePartial store{static_cast<float*>(scratch), shape.m, shape.n};
  GemmShape partial_shape = shape;
  partial_shape.epilogue_vectorised = shape.n % 4 == 0;
  const cudaError_t error =
      mma_detail::launch_16bit<Tile, kLayoutA, kLayoutB>(partial_shape, a, b, store, splits, stream);
  if (error != cudaSuccess) {
    return error;
  }
  return launch_join_splits(shape, static_cast<const float*>(scratch), epilogue, splits, stream);
}

}  // namespace stitch
