// SPDX-License-Identifier: Apache-2.0
// What a block of kernels/rnn/stack_clusters.cuh holds: how its work is cut, its shared memory, and weights and states
// in two fp16 parts as mma.m16n8k16 wants them.
//
// Within a slice of 16 features a lane has four that lie side by side, where the hardware expects two and two: weights
// and states agree in this order, and a sum does not care for it.
#pragma once

#include "kernels/rnn/stack.cuh"
#include "ptx/cluster.cuh"
#include "ptx/convert.cuh"
#include "ptx/mma.cuh"

namespace stitch {

// kUnitsOfBlock: 16 or 32. kRowsOfCluster: at most 8 samples.
template <typename CellOfLayer, int kUnitsOfBlock, int kRowsOfCluster>
struct StackClusterTile {
  using Cell = CellOfLayer;
  static constexpr int kBlocks = 8;  // of a cluster
  static constexpr int kUnits = kUnitsOfBlock;
  static constexpr int kRows = kRowsOfCluster;
  static constexpr int kGates = Cell::kGates;
  static constexpr int kDepth = kBlocks * kUnits;    // the most units that a layer may have
  static constexpr int kGateRows = kGates * kUnits;  // rows of weights of a block, unit by unit of each gate
  static constexpr int kSliceDepth = 16;             // of one multiplication
  static constexpr int kSlices = kDepth / kSliceDepth;
  static constexpr int kTileRows = 16;
  static constexpr int kTilesOfGate = kUnits / kTileRows;
  // Warps of states multiply a part of the state by all rows of one gate. With four gates there are fewer of them, each
  // with more registers.
  static constexpr int kParts = kGates > 3 ? 2 : 4;
  static constexpr int kWarps = kParts * kGates;
  static constexpr int kThreads = kWarps * kWarpThreads;
  static constexpr int kSlicesOfWarp = kSlices / kParts;
  // Warps of the input multiply a part of the features by some tiles of rows, kSteps time steps at once.
  static constexpr int kInputWarps = 4;
  static constexpr int kInputThreads = kInputWarps * kWarpThreads;
  static constexpr int kTiles = kGates * kTilesOfGate;
  static constexpr int kInputGroups = kTiles % 4 == 0 ? 4 : (kTiles % 2 == 0 ? 2 : 1);
  static constexpr int kInputTiles = kTiles / kInputGroups;
  static constexpr int kInputParts = kInputWarps / kInputGroups;
  static constexpr int kInputSlices = kSlices / kInputParts;
  static constexpr int kBlockThreads = kThreads + kInputThreads;
  static constexpr int kColumnsOfTile = 8;
  static constexpr int kColumnTiles = 2;
  static constexpr int kMostSteps = 8;
  static constexpr int kStepsThatFit = kColumnTiles * kColumnsOfTile / kRows;
  static constexpr int kSteps = kStepsThatFit < kMostSteps ? kStepsThatFit : kMostSteps;
  static constexpr int kColumns = kSteps * kRows;
  // A lane finishes a unit of a sample; with many samples for few warps several.
  static constexpr int kPairs = kRows * kUnits;
  static constexpr int kPairWarps = (kPairs + kWarpThreads - 1) / kWarpThreads;
  static constexpr int kRounds = (kPairWarps + kWarps - 1) / kWarps;
  // Lanes that write or read sums at once then fall on different banks.
  static constexpr int kSumsStride = kGateRows + 4;
  static_assert(kRows <= kColumnsOfTile, "a product has that many columns");
  static_assert(kUnits == 16 || kUnits == 32, "a gate has one or two tiles of rows");
};

namespace rnn_detail {

// States are multiplied by this before they are split: parts of small ones then stay above fp16's least value.
constexpr float kStateScale = 8192.0f;
constexpr float kLargestState = 7.9f;  // fp16 ends at 65504

// Words of two fp16 numbers: of units 2j and 2j + 1 of a row, 2j holds the upper parts and 2j + 1 the lower ones. Rows
// in turn have halves of 32 words swapped, so that lanes reading two rows fall on different banks.
template <typename Tile>
__device__ __forceinline__ int state_word(int row, int word) {
  constexpr int kHalf = 16;
  return row * Tile::kDepth + (word ^ (row % 2 * kHalf));
}

template <typename Tile>
struct alignas(16) StackClusterMemory {
  uint32_t input_weights[Tile::kTiles][Tile::kSlices][2][kWarpThreads][4];
  uint32_t hidden[2][Tile::kRows * Tile::kDepth];    // before even steps, and before odd ones
  uint32_t input[2][Tile::kColumns * Tile::kDepth];  // of even chunks, and of odd ones
  float input_sums[2][Tile::kInputParts][Tile::kColumns][Tile::kSumsStride];
  float sums[Tile::kParts][Tile::kRows][Tile::kSumsStride];
  float bias[2][Tile::kGateRows];  // of the input, of the hidden state
  uint64_t arrived[2];
  uint64_t filled[2];  // sums of the input of even chunks, and of odd ones
  uint64_t freed[2];
  float ticket;
};

// A tile of 16 x 16 weights in two parts.
struct SplitWeights {
  uint32_t upper[4];
  uint32_t lower[4];
};

// The two parts of a pair of values.
__device__ __forceinline__ uint32_t lower_pair(float first, float second, uint32_t upper) {
  return ptx::pack_fp16x2(first - ptx::low_fp16(upper), second - ptx::high_fp16(upper));
}

// Rows of weights of one gate as a block sees them; zero beyond the last unit and the last feature.
struct GateRows {
  const float* first;  // of the gate
  int64_t first_unit;
  int64_t units;
  int64_t depth;
  bool vectorised;

  __device__ __forceinline__ Lanes<float, kDepthOfLoad> load(int unit, int64_t at) const {
    const int64_t row = first_unit + unit;
    return row < units && at < depth ? load_depth(first + row * depth, at, depth, vectorised)
                                     : broadcast_lanes<kDepthOfLoad>(0.0f);
  }
};

// Powers of two that bring weights into fp16's range, and their products with scaled states back.
struct WeightScale {
  float down;  // of weights: `down` * weight < 2^14
  float up;

  // largest: of the absolute values.
  __device__ explicit WeightScale(float largest) {
    constexpr int kWanted = 13, kLimit = 100;
    int exponent = 0;
    frexpf(largest, &exponent);
    const int shift = largest > 0.0f ? max(-kLimit, min(kLimit, kWanted + 1 - exponent)) : 0;
    down = ldexpf(1.0f, shift);
    up = ldexpf(1.0f, -shift) / kStateScale;
  }
};

constexpr float kLargestWeight = 1e30f;

// The largest absolute value of the warp's weights, `slices` of them from `first_slice` on for kTiles tiles from the
// unit `first_row` on. Sets `is_odd` where one cannot be split.
template <int kTiles>
__device__ __forceinline__ float largest_weight(const GateRows& rows, int first_row, int first_slice, int slices,
                                                bool& is_odd) {
  constexpr int kHalfRows = 8, kSliceDepth = 16;
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  float largest = 0.0f;
  for (int slice = 0; slice < slices; ++slice) {
    const int64_t at = (first_slice + slice) * kSliceDepth + lane % 4 * kDepthOfLoad;
#pragma unroll
    for (int part = 0; part < 2 * kTiles; ++part) {
      const auto loaded = rows.load(first_row + part * kHalfRows + lane / 4, at);
#pragma unroll
      for (int i = 0; i < kDepthOfLoad; ++i) {
        const float size = fabsf(loaded[i]);
        is_odd = is_odd || !(size < kLargestWeight);
        largest = fmaxf(largest, size);
      }
    }
  }
#pragma unroll
  for (int distance = kWarpThreads / 2; distance > 0; distance /= 2) {
    largest = fmaxf(largest, __shfl_xor_sync(kFullWarp, largest, distance));
  }
  return largest < kLargestWeight ? largest : 1.0f;
}

__device__ __forceinline__ SplitWeights split_tile(const GateRows& rows, int first_row, int slice, float scale) {
  constexpr int kHalfRows = 8, kSliceDepth = 16;
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const int64_t at = slice * kSliceDepth + lane % 4 * kDepthOfLoad;
  SplitWeights split;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const auto loaded = rows.load(first_row + half * kHalfRows + lane / 4, at);
#pragma unroll
    for (int pair = 0; pair < 2; ++pair) {
      const float first = loaded[2 * pair] * scale;
      const float second = loaded[2 * pair + 1] * scale;
      const uint32_t upper = ptx::pack_fp16x2(first, second);
      split.upper[2 * pair + half] = upper;
      split.lower[2 * pair + half] = lower_pair(first, second, upper);
    }
  }
  return split;
}

// Sums of products of upper parts, and of those of an upper and a lower part.
struct SplitSums {
  float large[4] = {};
  float small[4] = {};

  // words: of four neighbouring units of a row.
  __device__ __forceinline__ void add(const uint32_t (&upper)[4], const uint32_t (&lower)[4],
                                      const Lanes<uint32_t, 4>& words) {
    const uint32_t of_upper[2] = {words[0], words[2]};
    const uint32_t of_lower[2] = {words[1], words[3]};
    ptx::mma_m16n8k16_fp16(small, lower, of_upper);
    ptx::mma_m16n8k16_fp16(large, upper, of_upper);
    ptx::mma_m16n8k16_fp16(small, upper, of_lower);
  }

  // To columns below kColumns of `to`, whose rows are the tile's from `first_row` on.
  template <int kColumns, int kStride>
  __device__ __forceinline__ void store(float (*to)[kStride], int first_column, int first_row, float scale) const {
    constexpr int kHalfRows = 8;
    const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int column = first_column + lane % 4 * 2 + i % 2;
      if (column < kColumns) {
        to[column][first_row + i / 2 * kHalfRows + lane / 4] = (large[i] + small[i]) * scale;
      }
    }
  }
};

}  // namespace rnn_detail
}  // namespace stitch
