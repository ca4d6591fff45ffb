// SPDX-License-Identifier: Apache-2.0
// Where the clusters, threads and lanes of kernels/rnn/stack_clusters.cuh stand, and where what they write lies.
#pragma once

#include "kernels/rnn/stack_tile.cuh"
#include "ptx/not_known.cuh"

namespace stitch {

// What lies in scratch memory behind the layers' states.
template <typename Tile>
struct StackClusterPieces {
  uint32_t* words;    // of all states of the layers below the last: [layers - 1, steps, batch, kDepth]
  float* gates;       // the first layer's share of its input
  unsigned* counted;  // tickets; whether to repair; blocks that have made each chunk of each cluster of each layer
  int64_t clusters;   // of a layer
  int64_t chunks;
  int64_t counters;

  StackClusterPieces(const StackShape& shape, int layers, void* behind_states) {
    constexpr uintptr_t kAlignment = 64;
    clusters = ceil_divide(shape.batch, Tile::kRows);
    chunks = ceil_divide(shape.steps, Tile::kSteps);
    counters = 2 + layers * clusters * chunks;
    const uintptr_t first = (reinterpret_cast<uintptr_t>(behind_states) + kAlignment - 1) / kAlignment * kAlignment;
    words = reinterpret_cast<uint32_t*>(first);
    gates = reinterpret_cast<float*>(words + (layers - 1) * shape.steps * shape.batch * Tile::kDepth);
    counted = reinterpret_cast<unsigned*>(gates + shape.steps * shape.batch * Tile::kGates * shape.units);
  }

  __device__ unsigned* of_chunk(int64_t layer, int64_t cluster, int64_t chunk) const {
    return counted + 2 + (layer * clusters + cluster) * chunks + chunk;
  }
};

namespace rnn_detail {

// Where a block stands.
struct StackClusterPlace {
  int layer;
  int cluster;  // of the layer
  int rank;     // of the block in it
};

// Where a thread stands in its block. Made anew for each part of a step: registers have no room for what follows from
// it.
struct StackThread {
  int warp;
  int lane;

  __device__ __forceinline__ StackThread() {
    const int thread = ptx::not_known(static_cast<int>(threadIdx.x));
    warp = thread / kWarpThreads;
    lane = thread % kWarpThreads;
  }
};

// The unit of a sample that a lane finishes.
template <typename Tile>
struct StackPair {
  int row;     // of the cluster
  int unit;    // of the block
  int sample;  // of all; those beyond the last repeat it, and nobody looks at them
  int unit_of_layer;
  bool is_row;
  bool is_sample;
  bool is_unit;

  __device__ __forceinline__ StackPair(const StackShape& shape, const StackClusterPlace& place, int round) {
    const StackThread thread;
    const int pair = (round * Tile::kWarps + thread.warp) * kWarpThreads + thread.lane;
    is_row = pair < Tile::kPairs;
    row = is_row ? pair / Tile::kUnits : 0;
    unit = pair % Tile::kUnits;
    const int wanted = place.cluster * Tile::kRows + row;
    sample = min(wanted, static_cast<int>(shape.batch) - 1);
    unit_of_layer = place.rank * Tile::kUnits + unit;
    is_sample = is_row && wanted < shape.batch;
    is_unit = unit_of_layer < shape.units;
  }

  // Among all states of the layer. Units beyond the last have the first's.
  __device__ __forceinline__ int64_t index(const StackShape& shape) const {
    return static_cast<int64_t>(sample) * shape.units + (is_unit ? unit_of_layer : 0);
  }
};

// What a lane keeps of it from step to step.
template <int kGates>
struct StackUnit {
  float hidden;
  float cell;
  float gates[kGates];  // of the first layer, of the next step
};

// The word that a lane sends: of its unit and the neighbour's, upper parts from even lanes and lower from odd ones.
__device__ __forceinline__ uint32_t word_of_states(float hidden) {
  const float own = hidden * kStateScale;
  const float other = __shfl_xor_sync(kFullWarp, own, 1);
  const bool is_odd = threadIdx.x % 2 != 0;
  const float first = is_odd ? other : own;
  const float second = is_odd ? own : other;
  const uint32_t upper = ptx::pack_fp16x2(first, second);
  return is_odd ? lower_pair(first, second, upper) : upper;
}

}  // namespace rnn_detail
}  // namespace stitch
