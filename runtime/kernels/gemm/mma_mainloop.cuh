// SPDX-License-Identifier: Apache-2.0
// The tensor-core loop that GEMM and convolution share: tiles of both operands in a ring of shared-memory stages, of
// which all but one are being filled while one is multiplied.
#pragma once

#include "kernels/gemm/epilogue.cuh"
#include "kernels/gemm/mma_policy.cuh"
#include "kernels/gemm/mma_tile.cuh"
#include "ptx/cp_async.cuh"

namespace stitch {

// Block tile kM x kN x kK, warps in a grid of kWarpsM x kWarpsN, kStages tiles in shared memory.
template <int kM, int kN, int kK, int kWarpsM, int kWarpsN, int kStages>
struct MmaTile {
  static constexpr int m = kM, n = kN, k = kK, warps_m = kWarpsM, warps_n = kWarpsN, stages = kStages;
  static constexpr int threads = kWarpsM * kWarpsN * kWarpThreads;
  static constexpr int warp_m = kM / kWarpsM, warp_n = kN / kWarpsN;
  static constexpr int tiles_m = warp_m / 16, tiles_n = warp_n / 8;
  static_assert(warp_m % 16 == 0 && warp_n % 16 == 0, "a warp multiplies whole fragments");

  static constexpr int tile_a = kM * kK, tile_b = kN * kK;
  static constexpr int stage_stride = kN + 8;  // of the staged accumulators: four rows of a fragment in different banks
  static constexpr int operand_floats = kStages * (tile_a + tile_b), staged_floats = kM * stage_stride;
  static constexpr int shared_bytes = (operand_floats > staged_floats ? operand_floats : staged_floats) * 4;
};

namespace mma_detail {

template <typename Math, typename Tile>
class WarpTile {
 public:
  __device__ __forceinline__ WarpTile() {
    const int warp = threadIdx.x / kWarpThreads;
    lane_ = threadIdx.x % kWarpThreads;
    row_ = warp / Tile::warps_n * Tile::warp_m;
    column_ = warp % Tile::warps_n * Tile::warp_n;
  }

  template <Layout kLayoutA, Layout kLayoutB>
  __device__ __forceinline__ void multiply(const float* tile_a, const float* tile_b) {
    constexpr int kStepDepth = 8 * Math::kSteps;
#pragma unroll
    for (int k = 0; k < Tile::k; k += kStepDepth) {
      MmaFragments<Tile::tiles_m, Tile::tiles_n, Math::kSteps> fragments;
#pragma unroll
      for (int step = 0; step < Math::kSteps; ++step) {
        load<kLayoutA, kLayoutB>(fragments, step, tile_a, tile_b, k + 8 * step);
      }
      Math::template multiply<Tile::tiles_m, Tile::tiles_n>(partial_, fragments);
    }
  }

  // Moves the partial sums into the fp32 registers that only ever see ordinary additions.
  __device__ __forceinline__ void promote() {
    if constexpr (Math::kPromoteEvery != 0) {
      for_each_product<Tile::tiles_m, Tile::tiles_n>([&](int i, int j) {
#pragma unroll
        for (int element = 0; element < 4; ++element) {
          promoted_[i][j][element] += partial_[i][j][element];
          partial_[i][j][element] = 0.0f;
        }
      });
    }
  }

  // Lays the sums down as a Tile::m x Tile::n matrix.
  __device__ __forceinline__ void stage(float* staged) const {
    const auto& sums = Math::kPromoteEvery != 0 ? promoted_ : partial_;
    for_each_product<Tile::tiles_m, Tile::tiles_n>([&](int i, int j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = row_ + i * 16 + half * 8 + lane_ / 4;
        const int column = column_ + j * 8 + lane_ % 4 * 2;
        store_lanes(staged + row * Tile::stage_stride + column,
                    Lanes<float, 2>{sums[i][j][half * 2], sums[i][j][half * 2 + 1]});
      }
    });
  }

 private:
  template <Layout kLayoutA, Layout kLayoutB, typename Fragments>
  __device__ __forceinline__ void load(Fragments& fragments, int step, const float* tile_a, const float* tile_b,
                                       int k) const {
#pragma unroll
    for (int i = 0; i < Tile::tiles_m; ++i) {
      float words[4];  // (g, t), (g, t+4), (g+8, t), (g+8, t+4)
      MmaTileLayout<Tile::m, Tile::k, kLayoutA>::load_16(words, tile_a, row_ + i * 16, k, lane_);
      fragments.a[step][i][0] = words[0];
      fragments.a[step][i][1] = words[2];
      fragments.a[step][i][2] = words[1];
      fragments.a[step][i][3] = words[3];
    }
#pragma unroll
    for (int j = 0; j < Tile::tiles_n; j += 2) {
      float words[4];
      MmaTileLayout<Tile::n, Tile::k, kLayoutB>::load_16(words, tile_b, column_ + j * 8, k, lane_);
      fragments.b[step][j][0] = words[0];
      fragments.b[step][j][1] = words[1];
      fragments.b[step][j + 1][0] = words[2];
      fragments.b[step][j + 1][1] = words[3];
    }
  }

  int lane_;
  int row_;
  int column_;
  MmaSums<Tile::tiles_m, Tile::tiles_n> partial_ = {};
  MmaSums<Tile::tiles_m, Tile::tiles_n> promoted_ = {};
};

// One output in plain fp32 arithmetic, where splitting the operands has lost its meaning.
template <typename OperandA, typename OperandB>
struct Recompute {
  const OperandA& a;
  const OperandB& b;
  int64_t k_begin;
  int64_t k_end;

  __device__ __forceinline__ float operator()(int64_t row, int64_t column, float value) const {
    if (isfinite(value)) {
      return value;
    }
    float sum = 0.0f;
#pragma unroll 1
    for (int64_t k = k_begin; k < k_end; ++k) {
      sum = fmaf(a.element(row, k), b.element(column, k), sum);
    }
    return sum;
  }
};

template <typename Tile, typename OperandA, typename OperandB, typename Math>
__device__ __forceinline__ void multiply_range(WarpTile<Math, Tile>& sums, OperandA& a, OperandB& b,
                                               const BlockPlace& place, float* tiles_a, float* tiles_b) {
  constexpr int kAhead = Tile::stages - 1;
  constexpr int kPromoteTiles = Math::kPromoteEvery / Tile::k;
  const int64_t depth = place.k_end > place.k_begin ? place.k_end - place.k_begin : 0;
  const auto tiles = static_cast<int>(ceil_divide(depth, Tile::k));
  const auto load = [&](int tile) {
    const int stage = tile % Tile::stages;
    a.begin(tiles_a + stage * Tile::tile_a, place.k_begin + int64_t{tile} * Tile::k);
    b.begin(tiles_b + stage * Tile::tile_b, place.k_begin + int64_t{tile} * Tile::k);
    ptx::cp_async_commit();
  };
  const auto finish = [&](int tile) {
    const int stage = tile % Tile::stages;
    a.finish(tiles_a + stage * Tile::tile_a);
    b.finish(tiles_b + stage * Tile::tile_b);
  };
  for (int tile = 0; tile < kAhead; ++tile) {
    load(tile);  // beyond the last tile: zeros, so that the number of groups under way is always the same
    finish(tile);
  }
  for (int tile = 0; tile < tiles; ++tile) {
    ptx::cp_async_wait<kAhead - 1>();
    __syncthreads();
    load(tile + kAhead);
    const int stage = tile % Tile::stages;
    sums.template multiply<OperandA::layout, OperandB::layout>(tiles_a + stage * Tile::tile_a,
                                                               tiles_b + stage * Tile::tile_b);
    finish(tile + kAhead);
    if constexpr (kPromoteTiles > 0) {
      if ((tile + 1) % kPromoteTiles == 0) {
        sums.promote();
      }
    }
  }
  sums.promote();
  ptx::cp_async_wait<0>();
  __syncthreads();
}

}  // namespace mma_detail

// Multiplies K range place.k_begin .. place.k_end and passes the tile through the epilogue. `shared` has
// Tile::shared_bytes. OperandA, OperandB as in kernels/gemm/mma_operand.cuh.
template <typename Math, typename Tile, typename OperandA, typename OperandB, typename Epilogue>
__device__ __forceinline__ void mma_block(OperandA& a, OperandB& b, float* shared, const GemmShape& shape,
                                          const BlockPlace& place, int64_t batch, const Epilogue& epilogue) {
  mma_detail::WarpTile<Math, Tile> sums;
  mma_detail::multiply_range<Tile>(sums, a, b, place, shared, shared + Tile::stages * Tile::tile_a);
  sums.stage(shared);
  __syncthreads();
  const auto same_row = [](int row) { return row; };
  if constexpr (Math::kRepairs) {
    const mma_detail::Recompute<OperandA, OperandB> recompute{a, b, place.k_begin, place.k_end};
    apply_epilogue<Tile::m, Tile::n, Tile::stage_stride, Tile::threads>(shared, same_row, recompute, shape, place,
                                                                        batch, epilogue);
  } else {
    apply_epilogue<Tile::m, Tile::n, Tile::stage_stride, Tile::threads>(shared, same_row, NoRepair{}, shape, place,
                                                                        batch, epilogue);
  }
}

}  // namespace stitch
