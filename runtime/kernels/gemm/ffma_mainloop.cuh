// SPDX-License-Identifier: Apache-2.0
// The fp32 inner loop that GEMM and convolution share: two tiles of each operand in shared memory, a sub-tile of the
// output in each thread's registers.
//
// A warp's 32 threads form 4 rows x 8 columns. Each thread's outputs come in groups of up to 4 neighbours, the groups
// spread over the warp's tile, so that all reads of shared memory are vectors without bank conflicts.
#pragma once

#include "kernels/gemm/epilogue.cuh"

namespace stitch {

// Block tile kM x kN x kK, kThreadM x kThreadN outputs a thread.
template <int kM, int kN, int kK, int kThreadM, int kThreadN>
struct FfmaTile {
  static constexpr int m = kM, n = kN, k = kK, thread_m = kThreadM, thread_n = kThreadN;
  static constexpr int threads = (kM / kThreadM) * (kN / kThreadN);
  static_assert(kM / kThreadM % 4 == 0 && kN / kThreadN % 8 == 0, "a warp is 4 x 8 threads");
};

namespace ffma_detail {

// One axis of the output: where the groups of one thread lie. kWarpSide is 4 along m, 8 along n.
template <int kPerThread, int kWarpSide>
struct ThreadAxis {
  static constexpr int kWidth = kPerThread < 4 ? kPerThread : 4;
  static constexpr int kGroups = kPerThread / kWidth;
  static constexpr int kWarpExtent = kPerThread * kWarpSide;

  // First of the kWidth neighbours of `group`, for the thread at `lane` in warp `warp` along this axis.
  static __device__ __forceinline__ int start(int warp, int lane, int group) {
    return warp * kWarpExtent + group * kWidth * kWarpSide + lane * kWidth;
  }
};

template <typename Tile>
class Accumulators {
 public:
  using Rows = ThreadAxis<Tile::thread_m, 4>;
  using Columns = ThreadAxis<Tile::thread_n, 8>;
  static constexpr int kStageRows = Tile::m / Rows::kGroups;
  static constexpr int kStageStride = Tile::n + 4;

  __device__ __forceinline__ Accumulators() {
    constexpr int kWarpsN = Tile::n / Columns::kWarpExtent;
    const int warp = threadIdx.x / kWarpThreads;
    const int lane = threadIdx.x % kWarpThreads;
    warp_m_ = warp / kWarpsN;
    warp_n_ = warp % kWarpsN;
    lane_m_ = lane / 8;
    lane_n_ = lane % 8;
  }

  // Adds the product of two tiles in shared memory, [k][m] and [k][n].
  template <int kLhsStride, int kRhsStride>
  __device__ __forceinline__ void multiply(const float* lhs, const float* rhs) {
#pragma unroll
    for (int k = 0; k < Tile::k; ++k) {
      Lanes<float, Rows::kWidth> rows[Rows::kGroups];
      Lanes<float, Columns::kWidth> columns[Columns::kGroups];
#pragma unroll
      for (int group = 0; group < Rows::kGroups; ++group) {
        rows[group] = load_lanes<Rows::kWidth>(lhs + k * kLhsStride + Rows::start(warp_m_, lane_m_, group));
      }
#pragma unroll
      for (int group = 0; group < Columns::kGroups; ++group) {
        columns[group] = load_lanes<Columns::kWidth>(rhs + k * kRhsStride + Columns::start(warp_n_, lane_n_, group));
      }
#pragma unroll
      for (int i = 0; i < Tile::thread_m; ++i) {
#pragma unroll
        for (int j = 0; j < Tile::thread_n; ++j) {
          sums_[i][j] = fmaf(rows[i / Rows::kWidth][i % Rows::kWidth],
                             columns[j / Columns::kWidth][j % Columns::kWidth], sums_[i][j]);
        }
      }
    }
  }

  // Lays the rows of one group down as a kStageRows x Tile::n matrix.
  template <int kGroup>
  __device__ __forceinline__ void stage(float* staged) const {
#pragma unroll
    for (int i = 0; i < Rows::kWidth; ++i) {
      const int row = warp_m_ * 4 * Rows::kWidth + lane_m_ * Rows::kWidth + i;
#pragma unroll
      for (int group = 0; group < Columns::kGroups; ++group) {
        Lanes<float, Columns::kWidth> values;
#pragma unroll
        for (int j = 0; j < Columns::kWidth; ++j) {
          values[j] = sums_[kGroup * Rows::kWidth + i][group * Columns::kWidth + j];
        }
        store_lanes(staged + row * kStageStride + Columns::start(warp_n_, lane_n_, group), values);
      }
    }
  }

  // The row inside the tile of a row that stage<kGroup>() has laid down.
  template <int kGroup>
  static __device__ __forceinline__ int row_of(int staged_row) {
    constexpr int kWarpRows = 4 * Rows::kWidth;
    return staged_row / kWarpRows * Rows::kWarpExtent + kGroup * kWarpRows + staged_row % kWarpRows;
  }

 private:
  int warp_m_;
  int warp_n_;
  int lane_m_;
  int lane_n_;
  float sums_[Tile::thread_m][Tile::thread_n] = {};
};

template <typename Tile, int kGroup, typename Epilogue>
__device__ __forceinline__ void finish_groups(const Accumulators<Tile>& sums, float* staged, const GemmShape& shape,
                                              const BlockPlace& place, int64_t batch, const Epilogue& epilogue) {
  using Sums = Accumulators<Tile>;
  if constexpr (kGroup < Sums::Rows::kGroups) {
    sums.template stage<kGroup>(staged);
    __syncthreads();
    apply_epilogue<Sums::kStageRows, Tile::n, Sums::kStageStride, Tile::threads>(
        staged, [](int row) { return Sums::template row_of<kGroup>(row); }, shape, place, batch, epilogue);
    __syncthreads();
    finish_groups<Tile, kGroup + 1>(sums, staged, shape, place, batch, epilogue);
  }
}

}  // namespace ffma_detail

// Multiplies K range place.k_begin .. place.k_end and passes the tile through the epilogue.
// Lhs, Rhs: fetch(k), deposit(tile) and kStride as in kernels/gemm/ffma_operand.cuh.
template <typename Tile, typename Lhs, typename Rhs, typename Epilogue>
__device__ __forceinline__ void ffma_block(Lhs& lhs, Rhs& rhs, const GemmShape& shape, const BlockPlace& place,
                                           int64_t batch, const Epilogue& epilogue) {
  using Sums = ffma_detail::Accumulators<Tile>;
  constexpr int kLhsTile = Tile::k * Lhs::kStride;
  constexpr int kRhsTile = Tile::k * Rhs::kStride;
  constexpr int kOperands = 2 * (kLhsTile + kRhsTile);
  constexpr int kStaged = Sums::kStageRows * Sums::kStageStride;
  __shared__ __align__(16) float shared[kOperands > kStaged ? kOperands : kStaged];
  float* const lhs_tiles = shared;
  float* const rhs_tiles = shared + 2 * kLhsTile;

  Sums sums;
  lhs.fetch(place.k_begin);
  rhs.fetch(place.k_begin);
  lhs.deposit(lhs_tiles);
  rhs.deposit(rhs_tiles);
  __syncthreads();
  int current = 0;
  for (int64_t k = place.k_begin; k < place.k_end; k += Tile::k) {
    const bool more = k + Tile::k < place.k_end;
    if (more) {
      lhs.fetch(k + Tile::k);
      rhs.fetch(k + Tile::k);
    }
    sums.template multiply<Lhs::kStride, Rhs::kStride>(lhs_tiles + current * kLhsTile, rhs_tiles + current * kRhsTile);
    if (more) {
      lhs.deposit(lhs_tiles + (current ^ 1) * kLhsTile);
      rhs.deposit(rhs_tiles + (current ^ 1) * kRhsTile);
    }
    __syncthreads();
    current ^= 1;
  }
  ffma_detail::finish_groups<Tile, 0>(sums, shared, shape, place, batch, epilogue);
}

}  // namespace stitch
