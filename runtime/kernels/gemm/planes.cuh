// SPDX-License-Identifier: Apache-2.0
// Floats as two fp16 planes for products on the tensor cores: x * s = upper + lower, with s the power of two that
// brings the largest element of a row (along K) to between 2^14 and 2^15. Both parts then are ordinary fp16 numbers for
// elements down to 2^-17 of the largest, and one accumulator takes the products of all parts.
//
// In memory: blocks of 64 rows by 32 along K, 8 KB each, those of the same rows one after the other. A row of a block
// is 128 bytes, 32 upper parts and 32 lower ones, and its 16-byte piece p lies at piece p ^ (row % 8): as wgmma reads
// it from shared memory, so that whole blocks can be copied there as they are. K is filled up with zeros; what is in
// rows that a block has too many is not used.
#pragma once

#include "kernels/gemm/fp16_scale.cuh"
#include "kernels/gemm/operands.cuh"
#include "ptx/convert.cuh"
#include "ptx/wgmma.cuh"

namespace stitch {

struct PlaneBlock {
  static constexpr int rows = 64, k = 32, row_bytes = 128, bytes = rows * row_bytes;
};

struct SplitMatrix {
  const unsigned char* planes;
  // 1 / s a row, NaN where two planes do not hold the row: its products are computed in another way.
  const float* unscale;
  bool in_batch;  // false: one matrix for the whole batch

  __device__ __forceinline__ const float* unscale_of(int64_t batch, int64_t rows) const {
    return unscale + (in_batch ? batch * rows : 0);
  }
};

// Bytes of what launch_split() writes: planes, then unscale.
__host__ __device__ constexpr int64_t plane_bytes(int64_t batch, int64_t rows, int64_t k) {
  return batch * ceil_divide(rows, PlaneBlock::rows) * ceil_divide(k, PlaneBlock::k) * PlaneBlock::bytes;
}
__host__ __device__ constexpr int64_t split_bytes(int64_t batch, int64_t rows, int64_t k) {
  return plane_bytes(batch, rows, k) + round_up(batch * rows * int64_t{sizeof(float)}, 256);
}

inline SplitMatrix split_matrix(const void* memory, int64_t batch, int64_t rows, int64_t k) {
  const auto* planes = static_cast<const unsigned char*>(memory);
  return {planes, reinterpret_cast<const float*>(planes + plane_bytes(batch, rows, k)), batch > 1};
}

namespace split_detail {

constexpr int kThreads = 256;
constexpr int kPiece = 8;  // elements that a thread splits at once: 16 bytes of each plane
constexpr int kHeld = 4;   // pieces that it keeps in registers

constexpr int kSmallest = 20;       // binades below the largest from which on an element loses bits ...
constexpr int64_t kMaySuffer = 64;  // ... which one of that many of a row may do

struct RowScale {
  float scale;
  float unscale;
  float small;  // scaled elements below this lose bits
};

// largest: bits of the largest magnitude.
__device__ __forceinline__ RowScale row_scale(uint32_t largest) {
  const Fp16Scale row = fp16_scale(largest);
  const bool has_small = largest != 0 && row.scale != 0;
  return {row.scale, row.unscale, has_small ? __int_as_float((127 + fp16_detail::kLargestAt - kSmallest) << 23) : 0.0f};
}

// Eight neighbours along K in two planes.
struct SplitPiece {
  uint4 upper;
  uint4 lower;

  __device__ __forceinline__ void store(unsigned char* planes, int64_t blocks_along_k, int64_t row, int64_t k) const {
    const int64_t block = row / PlaneBlock::rows * blocks_along_k + k / PlaneBlock::k;
    unsigned char* line = planes + block * PlaneBlock::bytes + row % PlaneBlock::rows * PlaneBlock::row_bytes;
    const auto piece = static_cast<unsigned>(k % PlaneBlock::k) / kPiece;
    const auto swizzle = static_cast<unsigned>(row % 8);
    *reinterpret_cast<uint4*>(line + (piece ^ swizzle) * 16) = upper;
    *reinterpret_cast<uint4*>(line + ((piece + 4) ^ swizzle) * 16) = lower;
  }
};

// Counts elements that are not zero, and of them those that lose bits.
__device__ __forceinline__ SplitPiece split_piece(const float (&values)[kPiece], const RowScale& row, unsigned& nonzero,
                                                  unsigned& small) {
  uint32_t upper[kPiece / 2];
  uint32_t lower[kPiece / 2];
#pragma unroll
  for (int pair = 0; pair < kPiece / 2; ++pair) {
    const float x = values[2 * pair] * row.scale;
    const float y = values[2 * pair + 1] * row.scale;
    upper[pair] = ptx::pack_fp16x2(x, y);
    lower[pair] = ptx::pack_fp16x2(x - ptx::low_fp16(upper[pair]), y - ptx::high_fp16(upper[pair]));
    nonzero += (x != 0.0f ? 1u : 0u) + (y != 0.0f ? 1u : 0u);
    small += (x != 0.0f && fabsf(x) < row.small ? 1u : 0u) + (y != 0.0f && fabsf(y) < row.small ? 1u : 0u);
  }
  return {{upper[0], upper[1], upper[2], upper[3]}, {lower[0], lower[1], lower[2], lower[3]}};
}

template <bool kWide>
__device__ __forceinline__ void load_piece(float (&values)[kPiece], const float* row, int64_t k, int64_t depth) {
  if (kWide && k + kPiece <= depth) {
    const Lanes<float, 4> first = load_lanes<4>(row + k);
    const Lanes<float, 4> second = load_lanes<4>(row + k + 4);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      values[i] = first[i];
      values[i + 4] = second[i];
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < kPiece; ++i) {
    values[i] = k + i < depth ? row[k + i] : 0.0f;
  }
}

// What a row's `unscale` becomes once its elements have been counted.
__device__ __forceinline__ float checked_unscale(const RowScale& row, int64_t nonzero, int64_t small) {
#ifdef STITCH_HAS_WGMMA
  return small * kMaySuffer > nonzero ? __uint_as_float(fp16_detail::kNan) : row.unscale;
#else
  return __uint_as_float(fp16_detail::kNan);  // nothing multiplies planes
#endif
}

__device__ __forceinline__ uint32_t largest_bits(const float (&values)[kPiece]) {
  uint32_t largest = 0;
#pragma unroll
  for (int i = 0; i < kPiece; ++i) {
    largest = max(largest, magnitude_bits(values[i]));
  }
  return largest;
}

// Of one number of each thread, `combine` over the kRowThreads of the same row, which take a whole warp or block.
template <int kRowThreads, typename Combine>
__device__ __forceinline__ uint32_t over_row(uint32_t value, const Combine& combine) {
  for (int distance = kWarpThreads / 2; distance > 0; distance /= 2) {
    value = combine(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  if constexpr (kRowThreads > kWarpThreads) {
    static_assert(kRowThreads == kThreads);
    __shared__ uint32_t of_warp[kThreads / kWarpThreads];
    if (threadIdx.x % kWarpThreads == 0) {
      of_warp[threadIdx.x / kWarpThreads] = value;
    }
    __syncthreads();
    value = of_warp[0];
    for (int warp = 1; warp < kThreads / kWarpThreads; ++warp) {
      value = combine(value, of_warp[warp]);
    }
    __syncthreads();
  }
  return value;
}

// Contiguous along K. What kHeld pieces a thread hold is read once; what is deeper is read again, mostly from a cache:
// few rows are under way at the same time.
template <bool kWide, int kRowThreads>
__global__ void __launch_bounds__(kThreads)
    split_rows_kernel(StridedMatrix<float> matrix, BatchLevels levels, int64_t rows, int64_t depth,
                      unsigned char* planes, float* unscale) {
  constexpr int kStep = kRowThreads * kPiece;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * (kThreads / kRowThreads) + threadIdx.x / kRowThreads;
  if (row >= rows) {
    return;
  }
  const int64_t batch = blockIdx.y;
  const int64_t first = static_cast<int64_t>(threadIdx.x % kRowThreads) * kPiece;
  const float* source = batch_start(matrix, batch, levels) + row * matrix.row_stride;
  float held[kHeld][kPiece];
  uint32_t largest = 0;
#pragma unroll
  for (int piece = 0; piece < kHeld; ++piece) {
    load_piece<kWide>(held[piece], source, first + piece * kStep, depth);
  }
#pragma unroll
  for (int piece = 0; piece < kHeld; ++piece) {
    largest = max(largest, largest_bits(held[piece]));
  }
  for (int64_t k = first + kHeld * kStep; k < depth; k += kStep) {
    float values[kPiece];
    load_piece<kWide>(values, source, k, depth);
    largest = max(largest, largest_bits(values));
  }
  largest = over_row<kRowThreads>(largest, [](uint32_t a, uint32_t b) { return max(a, b); });
  const RowScale scale = row_scale(largest);
  const int64_t blocks_along_k = ceil_divide(depth, PlaneBlock::k);
  unsigned char* own_planes = planes + batch * plane_bytes(1, rows, depth);
  unsigned nonzero = 0;
  unsigned small = 0;
#pragma unroll
  for (int piece = 0; piece < kHeld; ++piece) {
    const int64_t k = first + piece * kStep;
    if (k < blocks_along_k * PlaneBlock::k) {
      split_piece(held[piece], scale, nonzero, small).store(own_planes, blocks_along_k, row, k);
    }
  }
  for (int64_t k = first + kHeld * kStep; k < blocks_along_k * PlaneBlock::k; k += kStep) {
    float values[kPiece];
    load_piece<kWide>(values, source, k, depth);
    split_piece(values, scale, nonzero, small).store(own_planes, blocks_along_k, row, k);
  }
  const auto add = [](uint32_t a, uint32_t b) { return a + b; };
  nonzero = over_row<kRowThreads>(nonzero, add);
  small = over_row<kRowThreads>(small, add);
  if (first == 0) {
    unscale[batch * rows + row] = checked_unscale(scale, nonzero, small);
  }
}

// Of one number of each thread, `combine` over those of the same row.
template <int kGroups, int kColumns, typename Combine>
__device__ __forceinline__ uint32_t over_groups(uint32_t (&shared)[kGroups][kColumns], uint32_t value,
                                                const Combine& combine) {
  const unsigned column = threadIdx.x % kColumns;
  shared[threadIdx.x / kColumns][column] = value;
  __syncthreads();
  for (int group = 0; group < kGroups; ++group) {
    value = group == 0 ? shared[0][column] : combine(value, shared[group][column]);
  }
  __syncthreads();
  return value;
}

// Contiguous across K: a block takes kColumns rows, read twice.
template <int kColumns>
__global__ void __launch_bounds__(kThreads)
    split_columns_kernel(StridedMatrix<float> matrix, BatchLevels levels, int64_t rows, int64_t depth,
                         unsigned char* planes, float* unscale) {
  constexpr int kGroups = kThreads / kColumns;  // threads a row
  __shared__ uint32_t shared[kGroups][kColumns];
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kColumns + threadIdx.x % kColumns;
  const int64_t group = threadIdx.x / kColumns;
  const int64_t batch = blockIdx.y;
  const float* source = batch_start(matrix, batch, levels) + (row < rows ? row : rows - 1);
  uint32_t largest = 0;
#pragma unroll 8
  for (int64_t k = group; k < depth; k += kGroups) {
    largest = max(largest, magnitude_bits(source[k * matrix.column_stride]));
  }
  const RowScale scale = row_scale(over_groups(shared, largest, [](uint32_t a, uint32_t b) { return max(a, b); }));
  const int64_t blocks_along_k = ceil_divide(depth, PlaneBlock::k);
  unsigned char* own_planes = planes + batch * plane_bytes(1, rows, depth);
  unsigned nonzero = 0;
  unsigned small = 0;
  for (int64_t k = group * kPiece; k < blocks_along_k * PlaneBlock::k; k += kGroups * kPiece) {
    float values[kPiece];
#pragma unroll
    for (int i = 0; i < kPiece; ++i) {
      values[i] = k + i < depth ? source[(k + i) * matrix.column_stride] : 0.0f;
    }
    const SplitPiece piece = split_piece(values, scale, nonzero, small);
    if (row < rows) {
      piece.store(own_planes, blocks_along_k, row, k);
    }
  }
  const auto add = [](uint32_t a, uint32_t b) { return a + b; };
  nonzero = over_groups(shared, nonzero, add);
  small = over_groups(shared, small, add);
  if (group == 0 && row < rows) {
    unscale[batch * rows + row] = checked_unscale(scale, nonzero, small);
  }
}

template <int kRowThreads>
void launch_split_rows(const StridedMatrix<float>& matrix, int64_t batch, BatchLevels levels, int64_t rows,
                       int64_t depth, unsigned char* planes, float* unscale, cudaStream_t stream) {
  const dim3 blocks(static_cast<unsigned>(ceil_divide(rows, kThreads / kRowThreads)), static_cast<unsigned>(batch));
  const auto kernel = groups_aligned(matrix, matrix.row_stride) ? split_rows_kernel<true, kRowThreads>
                                                                : split_rows_kernel<false, kRowThreads>;
  kernel<<<blocks, kThreads, 0, stream>>>(matrix, levels, rows, depth, planes, unscale);
}

}  // namespace split_detail

// Splits `batch` matrices of rows x depth as an lhs has them, row_stride between rows and column_stride along the
// depth; kLayout says which of both is 1. `memory`: split_bytes().
template <Layout kLayout>
cudaError_t launch_split(const StridedMatrix<float>& matrix, int64_t batch, BatchLevels levels, int64_t rows,
                         int64_t depth, void* memory, cudaStream_t stream) {
  using namespace split_detail;
  auto* planes = static_cast<unsigned char*>(memory);
  auto* unscale = reinterpret_cast<float*>(planes + plane_bytes(batch, rows, depth));
  if constexpr (kLayout == Layout::kContiguousOuter) {
    constexpr int kColumns = 16;  // 64 bytes at once
    const dim3 blocks(static_cast<unsigned>(ceil_divide(rows, kColumns)), static_cast<unsigned>(batch));
    split_columns_kernel<kColumns><<<blocks, kThreads, 0, stream>>>(matrix, levels, rows, depth, planes, unscale);
  } else if (depth <= kWarpThreads * kPiece * kHeld) {
    launch_split_rows<kWarpThreads>(matrix, batch, levels, rows, depth, planes, unscale, stream);
  } else {
    launch_split_rows<kThreads>(matrix, batch, levels, rows, depth, planes, unscale, stream);
  }
  return cudaGetLastError();
}

// An rhs as launch_split() wants it.
inline StridedMatrix<float> transposed(const StridedMatrix<float>& matrix) {
  return {matrix.data,       matrix.batch_stride,       matrix.column_stride,
          matrix.row_stride, matrix.inner_batch_stride, matrix.middle_batch_stride};
}

// Splits an rhs of one matrix, for products that are made later. `memory`: split_bytes() of its n rows.
template <Layout kRhsLayout>
cudaError_t launch_split_rhs(const StridedMatrix<float>& rhs, int64_t n, int64_t k, void* memory, cudaStream_t stream) {
  return launch_split<kRhsLayout>(transposed(rhs), 1, BatchLevels{}, n, k, memory, stream);
}

}  // namespace stitch
