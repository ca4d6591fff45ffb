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

  static constexpr int lhs_tile = kM * kK, rhs_tile = kN * kK;
  static constexpr int stage_stride = kN + 8;  // of the staged accumulators: four rows of a fragment in different banks
  static constexpr int operand_floats = kStages * (lhs_tile + rhs_tile), staged_floats = kM * stage_stride;
  static constexpr int shared_bytes = (operand_floats > staged_floats ? operand_floats : staged_floats) * 4;
};

// Blocks for which a multiprocessor's registers must suffice. A thread holds its sums, twice where they are promoted,
// and its fragments three times: read ahead, read, and converted.
template <typename Math, typename Tile>
struct MmaResidency {
  static constexpr int kSums = Tile::tiles_m * Tile::tiles_n * (Math::kPromoteEvery != 0 ? 8 : 4);
  static constexpr int kFragments = (Tile::tiles_m * 4 + Tile::tiles_n * 2) * Math::kSteps;
  static constexpr int kOther = 40;
  static constexpr int kBlocksThatFit = 65536 / ((kSums + 3 * kFragments + kOther) * Tile::threads);
  static constexpr int kBlocks = kBlocksThatFit > 1 ? kBlocksThatFit : 1;
};

namespace mma_detail {

// Where an operand's elements lie in shared memory: as it says, or as floats of its layout do.
template <typename Operand, int kOuter, int kDepth>
struct TileLayoutOf {
  using Type = MmaTileLayout<kOuter, kDepth, Operand::layout>;
};
template <typename Operand, int kOuter, int kDepth>
  requires requires { typename Operand::TileLayout; }
struct TileLayoutOf<Operand, kOuter, kDepth> {
  using Type = typename Operand::TileLayout;
};

template <typename Math, typename Tile>
class WarpTile {
 public:
  __device__ __forceinline__ WarpTile() {
    const unsigned warp = threadIdx.x / kWarpThreads;
    lane_ = threadIdx.x % kWarpThreads;
    row_ = warp / Tile::warps_n * Tile::warp_m;
    column_ = warp % Tile::warps_n * Tile::warp_n;
  }

  using Fragments = MmaFragments<Tile::tiles_m, Tile::tiles_n, Math::kSteps>;
  static constexpr int kStepDepth = 8 * Math::kSteps;
  static constexpr int kSteps = Tile::k / kStepDepth;  // multiplications a tile

  template <typename Lhs>
  using LhsReader = typename TileLayoutOf<Lhs, Tile::m, Tile::k>::Type::template Reader<true>;
  template <typename Rhs>
  using RhsReader = typename TileLayoutOf<Rhs, Tile::n, Tile::k>::Type::template Reader<false>;

  template <typename Lhs>
  __device__ __forceinline__ LhsReader<Lhs> lhs_reader() const {
    static_assert(Lhs::layout == Layout::kContiguousK || Tile::warp_m % 32 == 0,
                  "the permutation stays within 32 rows");
    return {row_, lane_};
  }
  template <typename Rhs>
  __device__ __forceinline__ RhsReader<Rhs> rhs_reader() const {
    static_assert(Rhs::layout == Layout::kContiguousK || Tile::warp_n % 32 == 0,
                  "the permutation stays within 32 columns");
    return {column_, lane_};
  }

  // Reads what multiplication `step` of a tile in shared memory takes.
  template <typename Lhs, typename Rhs>
  static __device__ __forceinline__ void load(Fragments& fragments, const Lhs& lhs_reader, const float* lhs_tile,
                                              const Rhs& rhs_reader, const float* rhs_tile, int step) {
#pragma unroll
    for (int slice = 0; slice < Math::kSteps; ++slice) {
      const int k = step * kStepDepth + 8 * slice;
#pragma unroll
      for (int i = 0; i < Tile::tiles_m; ++i) {
        lhs_reader.load_16(fragments.a[slice][i], lhs_tile, i, k);
      }
#pragma unroll
      for (int j = 0; j < Tile::tiles_n; j += 2) {
        float words[4];
        rhs_reader.load_16(words, rhs_tile, j / 2, k);
        fragments.b[slice][j][0] = words[0];
        fragments.b[slice][j][1] = words[1];
        fragments.b[slice][j + 1][0] = words[2];
        fragments.b[slice][j + 1][1] = words[3];
      }
    }
  }

  __device__ __forceinline__ void multiply(const Fragments& fragments) {
    Math::template multiply<Tile::tiles_m, Tile::tiles_n>(partial_, fragments);
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

  // Zero, or NaN if one of the sums is not finite.
  __device__ __forceinline__ float zero_if_finite() const {
    const auto& sums = Math::kPromoteEvery != 0 ? promoted_ : partial_;
    float zero = 0.0f;
    for_each_product<Tile::tiles_m, Tile::tiles_n>([&](int i, int j) {
#pragma unroll
      for (int element = 0; element < 4; ++element) {
        zero = fmaf(sums[i][j][element], 0.0f, zero);
      }
    });
    return zero;
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
  unsigned lane_;
  int row_;
  int column_;
  MmaSums<Tile::tiles_m, Tile::tiles_n> partial_ = {};
  MmaSums<Tile::tiles_m, Tile::tiles_n> promoted_ = {};
};

// One output in plain fp32 arithmetic, where splitting the operands has lost its meaning.
template <typename Lhs, typename Rhs>
struct Recompute {
  const Lhs& lhs;
  const Rhs& rhs;
  int64_t k_begin;
  int64_t k_end;

  __device__ __forceinline__ float operator()(int64_t row, int64_t column) const {
    float sum = 0.0f;
#pragma unroll 1
    for (int64_t k = k_begin; k < k_end; ++k) {
      sum = fmaf(lhs.element(row, k), rhs.element(column, k), sum);
    }
    return sum;
  }
};

// The tiles of both operands in shared memory, and which of them is read and which filled.
template <typename Tile, typename Lhs, typename Rhs>
class Stages {
 public:
  static constexpr int kAhead = Tile::stages - 1;

  __device__ __forceinline__ Stages(Lhs& lhs, Rhs& rhs, float* shared, const BlockPlace& place)
      : lhs_(lhs),
        rhs_(rhs),
        lhs_tiles_(shared),
        rhs_tiles_(shared + Tile::stages * Tile::lhs_tile),
        k_begin_(place.k_begin) {
    const int64_t depth = place.k_end > place.k_begin ? place.k_end - place.k_begin : 0;
    tiles_ = static_cast<int>(ceil_divide(depth, Tile::k));
  }

  __device__ __forceinline__ int tiles() const { return tiles_; }
  __device__ __forceinline__ const float* read_lhs() const { return lhs_tiles_ + reading_ * Tile::lhs_tile; }
  __device__ __forceinline__ const float* read_rhs() const { return rhs_tiles_ + reading_ * Tile::rhs_tile; }
  __device__ __forceinline__ void next() { reading_ = reading_ + 1 == Tile::stages ? 0 : reading_ + 1; }

  // Starts the next tile. Beyond the last one there is nothing to copy, but the number of groups under way stays.
  __device__ __forceinline__ void begin() {
    if (started_ < tiles_) {
      const int64_t k = k_begin_ + int64_t{started_} * Tile::k;
      lhs_.begin(lhs_tiles_ + filling_ * Tile::lhs_tile, k);
      rhs_.begin(rhs_tiles_ + filling_ * Tile::rhs_tile, k);
    }
    ptx::cp_async_commit();
  }

  __device__ __forceinline__ void finish() {
    if (started_ < tiles_) {
      lhs_.finish(lhs_tiles_ + filling_ * Tile::lhs_tile);
      rhs_.finish(rhs_tiles_ + filling_ * Tile::rhs_tile);
    }
    ++started_;
    filling_ = filling_ + 1 == Tile::stages ? 0 : filling_ + 1;
  }

  // Until the oldest tile under way is there, for every thread.
  __device__ __forceinline__ void wait() {
    ptx::cp_async_wait<kAhead - 1>();
    __syncthreads();
  }

 private:
  Lhs& lhs_;
  Rhs& rhs_;
  float* lhs_tiles_;
  float* rhs_tiles_;
  int64_t k_begin_;
  int tiles_;
  int started_ = 0;
  int filling_ = 0;
  int reading_ = 0;
};

// Fragments are read one multiplication ahead, the first of a tile during the last multiplication of the tile before:
// the tensor cores have work while shared memory is read and while the block meets at its barrier.
template <typename Tile, typename Lhs, typename Rhs, typename Math>
__device__ __forceinline__ void multiply_range(WarpTile<Math, Tile>& sums, Lhs& lhs, Rhs& rhs, const BlockPlace& place,
                                               float* shared) {
  using Sums = WarpTile<Math, Tile>;
  constexpr int kPromoteTiles = Math::kPromoteEvery / Tile::k;
  static_assert(Math::kPromoteEvery % Tile::k == 0, "partial sums are promoted between tiles");
  static_assert(Sums::kSteps % 2 == 0, "the two sets of fragments take turns across tiles");
  Stages<Tile, Lhs, Rhs> stages(lhs, rhs, shared, place);
  const auto lhs_reader = sums.template lhs_reader<Lhs>();
  const auto rhs_reader = sums.template rhs_reader<Rhs>();
  const auto load = [&](typename Sums::Fragments& fragments, int step) {
    Sums::load(fragments, lhs_reader, stages.read_lhs(), rhs_reader, stages.read_rhs(), step);
  };
  for (int tile = 0; tile < stages.kAhead; ++tile) {
    stages.begin();
    stages.finish();
  }
  stages.wait();
  typename Sums::Fragments fragments[2];
  load(fragments[0], 0);
  for (int tile = 0; tile < stages.tiles(); ++tile) {
#pragma unroll
    for (int step = 0; step < Sums::kSteps; ++step) {
      if (step == 0) {
        stages.begin();
      }
      if (step + 1 == Sums::kSteps) {
        stages.finish();
        stages.wait();
        stages.next();
      }
      load(fragments[(step + 1) % 2], (step + 1) % Sums::kSteps);
      sums.multiply(fragments[step % 2]);
    }
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
// Tile::shared_bytes. Lhs, Rhs as in kernels/gemm/mma_operand.cuh.
template <typename Math, typename Tile, typename Lhs, typename Rhs, typename Epilogue>
__device__ __forceinline__ void mma_block(Lhs& lhs, Rhs& rhs, float* shared, const GemmShape& shape,
                                          const BlockPlace& place, int64_t batch, const Epilogue& epilogue) {
  mma_detail::WarpTile<Math, Tile> sums;
  mma_detail::multiply_range<Tile>(sums, lhs, rhs, place, shared);
  sums.stage(shared);
  if constexpr (Math::kRepairs) {
    if (__syncthreads_or(sums.zero_if_finite() != 0.0f) != 0) {
      const mma_detail::Recompute<Lhs, Rhs> recompute{lhs, rhs, place.k_begin, place.k_end};
      repair_staged<Tile::m, Tile::n, Tile::stage_stride, Tile::threads>(shared, recompute, shape, place);
      __syncthreads();
    }
  } else {
    __syncthreads();
  }
  apply_epilogue<Tile::m, Tile::n, Tile::stage_stride, Tile::threads>(
      shared, [](int row) { return row; }, shape, place, batch, epilogue);
}

}  // namespace stitch
