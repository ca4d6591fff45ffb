// SPDX-License-Identifier: Apache-2.0
// GEMM of little depth on the tensor cores: what it writes takes longer than what it multiplies. A block keeps its rows
// of lhs in registers, the whole depth of them, and walks along the columns of rhs, tiles of which come through shared
// memory. Sums go straight from registers to the epilogue: which columns stand beside each other in a fragment is
// chosen so that a thread's sums are neighbours, and a warp stores 64 bytes of each row at once.
//
// Math: Tf32x3 or Tf32. kDepth: what K may be at most, a multiple of 32; deeper products take the other skeleton.
#pragma once

#include "kernels/gemm/mma.cuh"

namespace stitch {

namespace thin_detail {

constexpr int kWarps = 4;
constexpr int kThreads = kWarps * kWarpThreads;
constexpr int kWarpRows = 32;
constexpr int kRows = kWarps * kWarpRows;
constexpr int kColumns = 64;  // of a tile of rhs
constexpr int kStages = 2;
constexpr int kTilesM = kWarpRows / 16;
constexpr int kTilesN = 4;  // fragments of 8 columns that are multiplied at once
constexpr int kStepColumns = kTilesN * 8;

template <int kDepth>
inline constexpr int kSharedBytes = kStages * kColumns * kDepth * 4;

// A warp's rows of lhs, as the fragments of every 8 of K.
template <int kDepth>
struct HeldRows {
  float a[kDepth / 8][kTilesM][4];

  // Rows beyond the operand hold its last one, since nothing made of them is stored; K beyond it is zero.
  __device__ __forceinline__ void read(const OperandView<float>& lhs, int64_t row, int depth) {
    const int lane = threadIdx.x % kWarpThreads;
#pragma unroll
    for (int step = 0; step < kDepth / 8; ++step) {
#pragma unroll
      for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
        for (int word = 0; word < 4; ++word) {
          const int64_t wanted = row + i * 16 + lane / 4 + word % 2 * 8;
          const int64_t outer = wanted < lhs.outer_extent ? wanted : lhs.outer_extent - 1;
          const int k = step * 8 + lane % 4 + word / 2 * 4;
          a[step][i][word] = k < depth ? lhs.data[outer * lhs.outer_stride + k * lhs.k_stride] : 0.0f;
        }
      }
    }
  }
};

// Fragments of kStepColumns columns from `outer` on, at 8 of K from `k` on. Column 2 * position + j of each 16 is at
// `position` of fragment j.
template <int kDepth, Layout kLayout>
__device__ __forceinline__ void read_columns(float (&b)[kTilesN][2], const float* tile, int outer, int k) {
  using TileLayout = MmaTileLayout<kColumns, kDepth, kLayout>;
  const unsigned lane = threadIdx.x % kWarpThreads;
#pragma unroll
  for (int j = 0; j < kTilesN; j += 2) {
    const unsigned column = outer + j * 8 + lane / 4 * 2;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const unsigned depth = k + half * 4 + lane % 4;
      if constexpr (kLayout == Layout::kContiguousOuter) {
        const Lanes<float, 2> both = load_lanes<2>(tile + TileLayout::offset(column, depth));
        b[j][half] = both[0];
        b[j + 1][half] = both[1];
      } else {
        b[j][half] = tile[TileLayout::offset(column, depth)];
        b[j + 1][half] = tile[TileLayout::offset(column + 1, depth)];
      }
    }
  }
}

using Sums = MmaSums<kTilesM, kTilesN>;

template <typename Math, int kDepth, Layout kLayout>
__device__ __forceinline__ void multiply(Sums& sums, const HeldRows<kDepth>& rows, const float* tile, int outer) {
  constexpr int kPromote = Math::kPromoteEvery == 0 ? kDepth : Math::kPromoteEvery;
  static_assert(kDepth % kPromote == 0, "partial sums are promoted after whole parts of K");
#pragma unroll
  for (int begin = 0; begin < kDepth; begin += kPromote) {
    Sums partial = {};
#pragma unroll
    for (int k = begin; k < begin + kPromote; k += 8) {
      MmaFragments<kTilesM, kTilesN, 1> fragments;
#pragma unroll
      for (int word = 0; word < kTilesM * 4; ++word) {
        fragments.a[0][word / 4][word % 4] = rows.a[k / 8][word / 4][word % 4];
      }
      read_columns<kDepth, kLayout>(fragments.b[0], tile, outer, k);
      Math::template multiply<kTilesM, kTilesN>(partial, fragments);
    }
    mma_detail::for_each_product<kTilesM, kTilesN>([&](int i, int j) {
#pragma unroll
      for (int element = 0; element < 4; ++element) {
        sums[i][j][element] = begin == 0 ? partial[i][j][element] : sums[i][j][element] + partial[i][j][element];
      }
    });
  }
}

__device__ __forceinline__ bool is_any_not_finite(const Sums& sums) {
  float zero = 0.0f;
  mma_detail::for_each_product<kTilesM, kTilesN>([&](int i, int j) {
#pragma unroll
    for (int element = 0; element < 4; ++element) {
      zero = fmaf(sums[i][j][element], 0.0f, zero);
    }
  });
  return zero != 0.0f;
}

// One output in plain fp32 arithmetic, where splitting the operands has lost its meaning.
static __device__ __noinline__ float compute_again(const OperandView<float>& lhs, const OperandView<float>& rhs,
                                                   int64_t row, int64_t column, int depth) {
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < depth; ++k) {
    sum = fmaf(lhs.data[row * lhs.outer_stride + k * lhs.k_stride],
               rhs.data[column * rhs.outer_stride + k * rhs.k_stride], sum);
  }
  return sum;
}

// Where a warp's sums belong.
struct Place {
  int64_t batch;
  int64_t row;
  int64_t column;

  __device__ __forceinline__ int64_t row_of(int i, int half) const {
    return row + i * 16 + half * 8 + threadIdx.x % kWarpThreads / 4;
  }
  // Of the four neighbours that fragments `pair` and `pair` + 1 have in a row.
  __device__ __forceinline__ int64_t column_of(int pair) const { return column + pair * 8 + threadIdx.x % 4 * 4; }
};

__device__ __forceinline__ Lanes<float, 4> neighbours(const Sums& sums, int i, int pair, int half) {
  return {sums[i][pair][half * 2], sums[i][pair + 1][half * 2], sums[i][pair][half * 2 + 1],
          sums[i][pair + 1][half * 2 + 1]};
}

template <typename Epilogue>
__device__ __forceinline__ void store(const Lanes<float, 4>& values, const GemmShape& shape, int64_t batch, int64_t row,
                                      int64_t column, const Epilogue& epilogue) {
  if constexpr (requires { epilogue.template lanes<4>(batch, row, column, values); }) {
    if (shape.epilogue_vectorised) {
      if (row < shape.m && column < shape.n) {
        epilogue.template lanes<4>(batch, row, column, values);
      }
      return;
    }
  }
#pragma unroll
  for (int lane = 0; lane < 4; ++lane) {
    if (row < shape.m && column + lane < shape.n) {
      epilogue(batch, row, column + lane, values[lane]);
    }
  }
}

template <bool kRepairs, typename Epilogue>
__device__ __forceinline__ void store_sums(const Sums& sums, const OperandView<float>& lhs,
                                           const OperandView<float>& rhs, const GemmShape& shape, const Place& place,
                                           const Epilogue& epilogue) {
  const bool repairs = kRepairs && is_any_not_finite(sums);
#pragma unroll
  for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int pair = 0; pair < kTilesN; pair += 2) {
        Lanes<float, 4> values = neighbours(sums, i, pair, half);
        const int64_t row = place.row_of(i, half);
        const int64_t column = place.column_of(pair);
        if (repairs && row < shape.m) {
#pragma unroll 1
          for (int lane = 0; lane < 4; ++lane) {
            if (column + lane < shape.n) {
              const float again = compute_again(lhs, rhs, row, column + lane, static_cast<int>(shape.k));
              values[0] = lane == 0 && !isfinite(values[0]) ? again : values[0];
              values[1] = lane == 1 && !isfinite(values[1]) ? again : values[1];
              values[2] = lane == 2 && !isfinite(values[2]) ? again : values[2];
              values[3] = lane == 3 && !isfinite(values[3]) ? again : values[3];
            }
          }
        }
        store(values, shape, place.batch, row, column, epilogue);
      }
    }
  }
}

template <typename Math, int kDepth, Layout kLhsLayout, Layout kRhsLayout, bool kWide, typename Epilogue>
__global__ void __launch_bounds__(kThreads, kDepth > 32 ? 2 : 3)
    thin_kernel(GemmShape shape, StridedMatrix<float> lhs, StridedMatrix<float> rhs, int64_t span, Epilogue epilogue) {
  extern __shared__ __align__(16) float shared_tiles[];
  constexpr int kTile = kColumns * kDepth;
  const int64_t batch = blockIdx.z;
  const OperandView<float> lhs_view{batch_start(lhs, batch, shape.levels()), lhs.row_stride, lhs.column_stride, shape.m,
                                    kWide};
  const OperandView<float> rhs_view{batch_start(rhs, batch, shape.levels()), rhs.column_stride, rhs.row_stride, shape.n,
                                    kWide};
  const int64_t first = static_cast<int64_t>(blockIdx.x) * span;
  const int64_t end = first + span < shape.n ? first + span : shape.n;
  const auto begin = [&](int64_t column, int stage) {
    if (column < end) {
      MmaAsyncOperand<kColumns, kDepth, kThreads, kRhsLayout, kWide>(rhs_view, column, shape.k)
          .begin(shared_tiles + stage * kTile, 0);
    }
    ptx::cp_async_commit();
  };
  begin(first, 0);
  const int64_t row = static_cast<int64_t>(blockIdx.y) * kRows + threadIdx.x / kWarpThreads * kWarpRows;
  HeldRows<kDepth> rows;
  rows.read(lhs_view, row, static_cast<int>(shape.k));
  int stage = 0;
  for (int64_t column = first; column < end; column += kColumns) {
    ptx::cp_async_wait<0>();
    __syncthreads();  // the tile is there, and nobody reads the other one any more
    begin(column + kColumns, stage ^ 1);
#pragma unroll 1
    for (int part = 0; part < kColumns; part += kStepColumns) {
      Sums sums;
      multiply<Math, kDepth, kRhsLayout>(sums, rows, shared_tiles + stage * kTile, part);
      store_sums<Math::kRepairs>(sums, lhs_view, rhs_view, shape, {batch, row, column + part}, epilogue);
    }
    stage ^= 1;
  }
}

// Columns of a block: enough blocks for several waves, and of each enough columns to repay the reading of its rows.
inline int64_t span_of(const GemmShape& shape) {
  constexpr int64_t kEnoughBlocks = 4096;
  const int64_t rows = ceil_divide(shape.m, kRows) * shape.batch;
  const int64_t spans = ceil_divide(kEnoughBlocks, rows);
  const int64_t span = round_up(ceil_divide(shape.n, spans), kColumns);
  return span;
}

}  // namespace thin_detail

// Any extents and strides are taken; 16-byte copies are used where pointers and strides allow.
template <typename Math, int kDepth, Layout kLhsLayout, Layout kRhsLayout, typename Epilogue>
cudaError_t launch_gemm_mma_thin(const GemmShape& shape, const StridedMatrix<float>& lhs,
                                 const StridedMatrix<float>& rhs, const Epilogue& epilogue, cudaStream_t stream) {
  using namespace thin_detail;
  if (shape.batch == 0 || shape.m == 0 || shape.n == 0) {
    return cudaSuccess;
  }
  constexpr int64_t kMaxGrid = 65535;  // of a launch's second and third axis
  if (shape.k > kDepth || shape.batch > kMaxGrid || ceil_divide(shape.m, kRows) > kMaxGrid) {
    return launch_gemm_mma<Math, MmaTileMedium, kLhsLayout, kRhsLayout>(shape, lhs, rhs, epilogue, stream);
  }
  const bool wide = copies_wide(rhs, kRhsLayout == Layout::kContiguousK ? rhs.column_stride : rhs.row_stride);
  const auto kernel = wide ? thin_kernel<Math, kDepth, kLhsLayout, kRhsLayout, true, Epilogue>
                           : thin_kernel<Math, kDepth, kLhsLayout, kRhsLayout, false, Epilogue>;
  const int64_t span = span_of(shape);
  const dim3 grid(static_cast<unsigned>(ceil_divide(shape.n, span)), static_cast<unsigned>(ceil_divide(shape.m, kRows)),
                  static_cast<unsigned>(shape.batch));
  kernel<<<grid, kThreads, kSharedBytes<kDepth>, stream>>>(shape, lhs, rhs, span, epilogue);
  return cudaGetLastError();
}

}  // namespace stitch
