// SPDX-License-Identifier: Apache-2.0
// The loop of the GEMM on planes (kernels/gemm/wgmma.cuh): a warp has the copy engine bring blocks of planes into a
// ring of stages of shared memory, two warpgroups multiply them.
//
// The tensor cores' accumulation cuts off instead of rounding; so partial sums move into separate fp32 registers every
// few steps along K, and small products come before large ones.
#pragma once

#include "kernels/gemm/planes.cuh"
#include "ptx/bulk_copy.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/warpgroup.cuh"
#include "ptx/wgmma.cuh"

namespace stitch {

// Each warpgroup multiplies 64 x (kParts * 128), a part of 128 after the other: its partial sums take the registers of
// one part. A stage is 32 along K; partial sums are promoted every kPromoteStages of them.
template <int kParts, int kStages, int kPromoteStages>
struct PlaneTile {
  static constexpr int columns = 128, parts = kParts, stages = kStages, promote_stages = kPromoteStages;
  static constexpr int multipliers = 256;  // threads
  static constexpr int threads = multipliers + 128;
  static constexpr int m = 128, n = columns * kParts, k = PlaneBlock::k * kPromoteStages;
  static_assert(kPromoteStages <= kStages);
  static constexpr int lhs_blocks = m / PlaneBlock::rows, rhs_blocks = n / PlaneBlock::rows;
  static constexpr int stage_bytes = (lhs_blocks + rhs_blocks) * PlaneBlock::bytes;
  static constexpr int stage_stride = n + 8;  // of the staged sums: four rows of a fragment in different banks
  static constexpr int staged_bytes = m * stage_stride * 4;
  static constexpr int ring_bytes = kStages * stage_bytes > staged_bytes ? kStages* stage_bytes : staged_bytes;
  static constexpr int alignment = 1024;
  static constexpr int shared_bytes = alignment + ring_bytes + 2 * kStages * 8;
};

namespace wgmma_detail {

// Position in the ring: the stage, and the parity of its use.
template <int kStages>
struct RingPlace {
  int stage = 0;
  uint32_t parity = 0;

  __device__ __forceinline__ void next() {
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

template <typename Tile>
struct Ring {
  unsigned char* stages;
  uint64_t* full;   // copied: the engine's bytes
  uint64_t* empty;  // multiplied: one arrival a warp

  __device__ __forceinline__ explicit Ring(unsigned char* shared) {
    const auto misaligned = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(shared) % Tile::alignment);
    stages = shared + (Tile::alignment - misaligned) % Tile::alignment;
    full = reinterpret_cast<uint64_t*>(stages + Tile::ring_bytes);
    empty = full + Tile::stages;
  }

  __device__ __forceinline__ void init() const {
    if (threadIdx.x == 0) {
      for (int stage = 0; stage < Tile::stages; ++stage) {
        ptx::mbarrier_init(full + stage, 1);
        ptx::mbarrier_init(empty + stage, Tile::multipliers / kWarpThreads);
      }
      ptx::mbarrier_fence_init();
    }
    __syncthreads();
  }

  __device__ __forceinline__ unsigned char* stage(int index) const { return stages + index * Tile::stage_bytes; }

  // The first round through the ring finds it empty: a barrier's phase before its first one counts as ended.
  __device__ __forceinline__ void wait_until_empty(const RingPlace<Tile::stages>& place) const {
    ptx::mbarrier_wait(empty + place.stage, place.parity ^ 1);
  }
  __device__ __forceinline__ void wait_until_full(const RingPlace<Tile::stages>& place) const {
    ptx::mbarrier_wait(full + place.stage, place.parity);
  }
  // By every warp that multiplies, once it has waited for its products of the stage.
  __device__ __forceinline__ void release(int index) const {
    if (threadIdx.x % kWarpThreads == 0) {
      ptx::mbarrier_arrive(empty + index);
    }
  }
};

// The blocks of planes of one operand that a tile's rows lie in.
struct PlaneRows {
  const unsigned char* first;
  int64_t stride;  // bytes to the next 64 rows
  int blocks;

  __device__ __forceinline__ PlaneRows(const SplitMatrix& matrix, int64_t batch, int64_t rows, int64_t k, int64_t row,
                                       int tile_blocks) {
    stride = ceil_divide(k, PlaneBlock::k) * PlaneBlock::bytes;
    const int64_t row_blocks = ceil_divide(rows, PlaneBlock::rows);
    const int64_t block = row / PlaneBlock::rows;
    first = matrix.planes + ((matrix.in_batch ? batch * row_blocks : 0) + block) * stride;
    blocks = static_cast<int>(row_blocks - block < tile_blocks ? row_blocks - block : tile_blocks);
  }

  __device__ __forceinline__ void copy(unsigned char* shared, int64_t k_block, uint64_t* barrier) const {
    const unsigned char* source = first + k_block * PlaneBlock::bytes;
    for (int block = 0; block < blocks; ++block) {
      ptx::bulk_copy(shared + block * PlaneBlock::bytes, source, PlaneBlock::bytes, barrier);
      source += stride;
    }
  }
};

struct DepthRange {
  int begin;  // blocks of planes
  int end;
};

template <typename Tile>
__device__ __forceinline__ void bring(const Ring<Tile>& ring, const PlaneRows& lhs, const PlaneRows& rhs,
                                      const DepthRange& depth) {
  RingPlace<Tile::stages> place;
  const uint32_t bytes = static_cast<uint32_t>(lhs.blocks + rhs.blocks) * PlaneBlock::bytes;
  for (int k_block = depth.begin; k_block < depth.end; ++k_block) {
    ring.wait_until_empty(place);
    uint64_t* full = ring.full + place.stage;
    ptx::mbarrier_arrive_expecting(full, bytes);
    unsigned char* stage = ring.stage(place.stage);
    lhs.copy(stage, k_block, full);
    rhs.copy(stage + Tile::lhs_blocks * PlaneBlock::bytes, k_block, full);
    place.next();
  }
}

// What of A a warpgroup multiplies at one stage: both planes, two slices of 16 along K.
class LhsStage {
 public:
  __device__ __forceinline__ explicit LhsStage(const unsigned char* rows) : rows_(ptx::wgmma_operand(rows)) {}
  __device__ __forceinline__ uint64_t slice(int plane, int step) const { return rows_ + plane * 4 + step * 2; }

 private:
  uint64_t rows_;
};

// The sums of a warpgroup.
template <typename Tile>
class GroupSums {
 public:
  static constexpr int kColumns = Tile::columns;

  // Small products first.
  __device__ __forceinline__ void issue(const LhsStage& lhs, const unsigned char* rhs_rows, bool accumulate) {
    const uint64_t rhs = ptx::wgmma_operand(rhs_rows);
    ptx::wgmma_fence();
#pragma unroll
    for (int slice = 0; slice < 2; ++slice) {
      ptx::wgmma_m64n128k16_f16(partial_, lhs.slice(0, slice), rhs + 4 + slice * 2, accumulate || slice > 0);
      ptx::wgmma_m64n128k16_f16(partial_, lhs.slice(1, slice), rhs + slice * 2, true);
    }
#pragma unroll
    for (int slice = 0; slice < 2; ++slice) {
      ptx::wgmma_m64n128k16_f16(partial_, lhs.slice(0, slice), rhs + slice * 2, true);
    }
    ptx::wgmma_commit();
  }

  template <int kPending>
  __device__ __forceinline__ void wait() {
    ptx::wgmma_wait<kPending>();
    ptx::wgmma_pin(partial_);
  }

  __device__ __forceinline__ void promote(float (&promoted)[kColumns / 2]) const {
#pragma unroll
    for (int i = 0; i < kColumns / 2; ++i) {
      promoted[i] += partial_[i];
    }
  }

 private:
  float partial_[kColumns / 2];
};

template <typename Tile>
using Promoted = float[Tile::parts][Tile::columns / 2];

// Multiplies all stages of the depth; `group` is 0 or 1. One part: the next stage's products are issued before those of
// the stage before are waited for.
template <typename Tile>
__device__ __forceinline__ void multiply_whole(Promoted<Tile>& promoted, const Ring<Tile>& ring, int group,
                                               const DepthRange& depth) {
  RingPlace<Tile::stages> place;
  GroupSums<Tile> sums;
  for (int k_block = depth.begin; k_block < depth.end;) {
    const int left = depth.end - k_block;
    const int stages = left < Tile::promote_stages ? left : Tile::promote_stages;
    int before = 0;
#pragma unroll 1
    for (int i = 0; i < stages; ++i) {
      ring.wait_until_full(place);
      const unsigned char* stage = ring.stage(place.stage);
      const LhsStage lhs(stage + group * PlaneBlock::bytes);
      sums.issue(lhs, stage + Tile::lhs_blocks * PlaneBlock::bytes, i > 0);
      if (i > 0) {
        sums.template wait<1>();
        ring.release(before);
      }
      before = place.stage;
      place.next();
    }
    sums.template wait<0>();
    ring.release(before);
    sums.promote(promoted[0]);
    k_block += stages;
  }
}

// Several parts take turns at each stage, and are promoted after it.
template <typename Tile>
__device__ __forceinline__ void multiply_parts(Promoted<Tile>& promoted, const Ring<Tile>& ring, int group,
                                               const DepthRange& depth) {
  static_assert(Tile::promote_stages == 1, "the parts' partial sums take the same registers");
  RingPlace<Tile::stages> place;
  GroupSums<Tile> sums;
  for (int k_block = depth.begin; k_block < depth.end; ++k_block) {
    ring.wait_until_full(place);
    const unsigned char* stage = ring.stage(place.stage);
    const LhsStage lhs(stage + group * PlaneBlock::bytes);
#pragma unroll
    for (int part = 0; part < Tile::parts; ++part) {
      const int row = part * Tile::columns;
      sums.issue(lhs, stage + Tile::lhs_blocks * PlaneBlock::bytes + row * PlaneBlock::row_bytes, false);
      sums.template wait<0>();
      if (part + 1 == Tile::parts) {
        ring.release(place.stage);
      }
      sums.promote(promoted[part]);
    }
    place.next();
  }
}

template <typename Tile>
__device__ __forceinline__ void multiply_depth(Promoted<Tile>& promoted, const Ring<Tile>& ring, int group,
                                               const DepthRange& depth) {
  if constexpr (Tile::parts == 1) {
    multiply_whole<Tile>(promoted, ring, group, depth);
  } else {
    multiply_parts<Tile>(promoted, ring, group, depth);
  }
}

}  // namespace wgmma_detail

}  // namespace stitch
