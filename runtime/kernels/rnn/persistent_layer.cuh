// SPDX-License-Identifier: Apache-2.0
// kernels/rnn/layer.cuh's layer by one launch for all time steps, whose weights stay in registers (sm_90 and later).
//
// A cluster of eight blocks makes one direction of kRows samples; samples need nothing of each other. A block makes an
// eighth of the units, a warp kUnits of them: its lanes share the depth of the product, each with the weights of every
// 32nd group of four features, and shuffles add their parts in a fixed order. What comes out goes to the shared memory
// of all blocks, where an mbarrier counts the bytes of the whole new state.
//
// States of even and odd steps have a buffer and an mbarrier each. Nothing else keeps blocks in step: who has all of a
// state knows that every warp of the cluster has read the state before, and may send what is written over it.
#pragma once

#include "kernels/common/clusters.cuh"
#include "kernels/rnn/layer.cuh"
#include "ptx/cluster.cuh"
#include "ptx/mbarrier.cuh"

namespace stitch {

// kUnitsOfWarp: 2 or 4. kPiecesOfLane: groups of four features of a lane.
template <int kRowsOfCluster, int kUnitsOfWarp, int kPiecesOfLane>
struct PersistentTile {
  static constexpr int kBlocks = 8;
  static constexpr int kMaxWarps = 16;
  static constexpr int kRows = kRowsOfCluster;
  static constexpr int kUnits = kUnitsOfWarp;
  static constexpr int kPieces = kPiecesOfLane;
  static constexpr int kDepth = kPieces * kWarpThreads * 4;
  static constexpr int kPairs = kRows * kUnits;          // a sample and a unit
  static constexpr int kCopies = kWarpThreads / kPairs;  // lanes that hold the sums of the same pair
  static_assert(kUnits % 2 == 0 && kCopies * kPairs == kWarpThreads, "lanes are halved until each has a pair");
  static_assert(kBlocks % (2 * kCopies) == 0 || (2 * kCopies) % kBlocks == 0, "the lanes of a row share the blocks");

  static int warps(int64_t units) { return static_cast<int>(ceil_divide(ceil_divide(units, kBlocks), kUnits)); }
};

// Largest number of units that the tile holds.
template <typename Tile>
constexpr int64_t most_persistent_units() {
  constexpr int64_t kOfWarps = Tile::kBlocks * Tile::kMaxWarps * Tile::kUnits;
  return kOfWarps < Tile::kDepth ? kOfWarps : Tile::kDepth;
}

namespace rnn_detail {

template <typename Tile>
struct PersistentMemory {
  alignas(16) float hidden[2][Tile::kRows][Tile::kDepth];  // before even steps, and before odd ones
  uint64_t arrived[2];
};

// The pair that a lane finishes, and where it lies.
template <typename Tile>
struct PersistentPlace {
  int direction;
  int row;
  int unit;
  int row_of_cluster;
  int copy;  // of kCopies
  bool is_unit;
  bool is_stored;

  __device__ PersistentPlace(const RecurrentShape& shape, int first_unit) {
    const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
    const int pair = lane / Tile::kCopies;
    copy = lane % Tile::kCopies;
    direction = static_cast<int>(blockIdx.y);
    row_of_cluster = pair / Tile::kUnits;
    row = static_cast<int>(blockIdx.x) / Tile::kBlocks * Tile::kRows + row_of_cluster;
    unit = first_unit + pair % Tile::kUnits;
    is_unit = unit < shape.units;
    is_stored = is_unit && row < shape.batch && copy == 0;
    row = min(row, static_cast<int>(shape.batch) - 1);  // those beyond the last repeat it; nobody looks at them
  }
};

template <typename Tile, int kGates>
using PersistentWeights = Lanes<float, kDepthOfLoad>[Tile::kUnits][kGates][Tile::kPieces];

// Weights of units and features beyond the last are zero.
template <typename Tile, int kGates, typename T>
__device__ __forceinline__ void load_weights(const RecurrentShape& shape, const T* weight, int64_t first_unit,
                                             bool vectorised, PersistentWeights<Tile, kGates>& weights) {
  const int64_t lane = threadIdx.x % kWarpThreads;
#pragma unroll
  for (int unit = 0; unit < Tile::kUnits; ++unit) {
#pragma unroll
    for (int gate = 0; gate < kGates; ++gate) {
      const T* row = weight + (gate * shape.units + first_unit + unit) * shape.units;
#pragma unroll
      for (int piece = 0; piece < Tile::kPieces; ++piece) {
        const int64_t depth = (piece * kWarpThreads + lane) * kDepthOfLoad;
        const bool is_there = first_unit + unit < shape.units && depth < shape.units;
        weights[unit][gate][piece] =
            is_there ? load_depth(row, depth, shape.units, vectorised) : broadcast_lanes<kDepthOfLoad>(0.0f);
      }
    }
  }
}

// This lane's part of all pairs' products, pairs of a sample side by side.
template <typename Tile, int kGates>
__device__ __forceinline__ void multiply_hidden(const float (&hidden)[Tile::kRows][Tile::kDepth],
                                                const PersistentWeights<Tile, kGates>& weights,
                                                float (&sums)[Tile::kPairs][kGates]) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
#pragma unroll
  for (int row = 0; row < Tile::kRows; ++row) {
#pragma unroll
    for (int piece = 0; piece < Tile::kPieces; ++piece) {
      const auto features = load_lanes<kDepthOfLoad>(&hidden[row][(piece * kWarpThreads + lane) * kDepthOfLoad]);
#pragma unroll
      for (int i = 0; i < kDepthOfLoad; ++i) {
#pragma unroll
        for (int unit = 0; unit < Tile::kUnits; ++unit) {
#pragma unroll
          for (int gate = 0; gate < kGates; ++gate) {
            sums[row * Tile::kUnits + unit][gate] += features[i] * weights[unit][gate][piece][i];
          }
        }
      }
    }
  }
}

// Lanes give their partners the sums of one half of the pairs, and add what they get to those of the other.
template <int kHalf, int kDistance, int kPairs, int kGates>
__device__ __forceinline__ void halve_pairs(float (&sums)[kPairs][kGates]) {
  const bool is_upper = (threadIdx.x & kDistance) != 0;
#pragma unroll
  for (int pair = 0; pair < kHalf; ++pair) {
#pragma unroll
    for (int gate = 0; gate < kGates; ++gate) {
      const float given = is_upper ? sums[pair][gate] : sums[pair + kHalf][gate];
      const float kept = is_upper ? sums[pair + kHalf][gate] : sums[pair][gate];
      sums[pair][gate] = kept + __shfl_xor_sync(kFullWarp, given, kDistance);
    }
  }
  if constexpr (kHalf > 1) {
    halve_pairs<kHalf / 2, kDistance / 2>(sums);
  }
}

// Adds the parts of all lanes. A lane is left with the sums of the pair lane / kCopies, in sums[0].
template <typename Tile, int kGates>
__device__ __forceinline__ void join_lanes(float (&sums)[Tile::kPairs][kGates]) {
  halve_pairs<Tile::kPairs / 2, kWarpThreads / 2>(sums);
#pragma unroll
  for (int distance = Tile::kCopies / 2; distance > 0; distance /= 2) {
#pragma unroll
    for (int gate = 0; gate < kGates; ++gate) {
      sums[0][gate] += __shfl_xor_sync(kFullWarp, sums[0][gate], distance);
    }
  }
}

// Where a lane sends the states of its unit and the one beside it.
template <typename Tile>
struct PersistentTargets {
  static constexpr int kLanes = 2 * Tile::kCopies;  // of the same two units of a sample
  static constexpr int kOfLane = kLanes < Tile::kBlocks ? Tile::kBlocks / kLanes : 1;
  uint32_t hidden[kOfLane];
  uint32_t arrived[kOfLane];
  bool is_sender[kOfLane];
  bool is_second;  // of the two units

  __device__ PersistentTargets(const PersistentMemory<Tile>& memory, const PersistentPlace<Tile>& place,
                               int64_t units) {
    const int lane = static_cast<int>(threadIdx.x) % kLanes;
    is_second = lane >= Tile::kCopies;
    const int first = place.unit - (is_second ? 1 : 0);
    // Warps without units have left.
    const int64_t block_units = blockDim.x / kWarpThreads * Tile::kUnits;
    const int blocks = static_cast<int>(ceil_divide(units, block_units));
    const auto* row = memory.hidden[0][place.row_of_cluster];
#pragma unroll
    for (int i = 0; i < kOfLane; ++i) {
      const int rank = lane + i * kLanes;
      is_sender[i] = rank < blocks && first < units;
      hidden[i] = ptx::cluster_address(row + (is_sender[i] ? first : 0), is_sender[i] ? rank : 0);
      arrived[i] = ptx::cluster_address(memory.arrived, is_sender[i] ? rank : 0);
    }
  }

  // To the buffer kParity of all blocks with units. All lanes of the warp take part.
  template <int kParity>
  __device__ __forceinline__ void send(float value) const {
    const float beside = __shfl_xor_sync(kFullWarp, value, Tile::kCopies);
    constexpr uint32_t kBufferBytes = Tile::kRows * Tile::kDepth * sizeof(float);
#pragma unroll
    for (int i = 0; i < kOfLane; ++i) {
      if (is_sender[i]) {
        ptx::cluster_store_async(hidden[i] + kParity * kBufferBytes, is_second ? beside : value,
                                 is_second ? value : beside, arrived[i] + kParity * uint32_t{sizeof(uint64_t)});
      }
    }
  }
};

// The input's share of the gates of a lane's pair, two steps ahead of their use.
template <typename T, int kGates>
struct PersistentGates {
  const T* next;
  int64_t time_stride;  // from step to step
  T values[2][kGates];

  template <typename Tile>
  __device__ PersistentGates(const RecurrentShape& shape, const RecurrentOperands<T>& operands,
                             const PersistentPlace<Tile>& place) {
    const int64_t stride = of_direction(operands.gates_time_stride, place.direction);
    time_stride = place.direction == 0 ? stride : -stride;
    next = of_direction(operands.gates, place.direction) + (place.direction == 0 ? 0 : shape.steps - 1) * stride +
           place.row * of_direction(operands.gates_batch_stride, place.direction) +
           min(place.unit, static_cast<int>(shape.units) - 1);
  }

  template <int kParity>
  __device__ __forceinline__ void load(int64_t units) {
#pragma unroll
    for (int gate = 0; gate < kGates; ++gate) {
      values[kParity][gate] = next[gate * units];
    }
    next += time_stride;
  }
};

// What a thread keeps from step to step.
template <typename Cell, typename Tile, typename T>
struct PersistentThread {
  PersistentPlace<Tile> place;
  PersistentTargets<Tile> targets;
  PersistentGates<T, Cell::kGates> gates;
  PersistentWeights<Tile, Cell::kGates> weights;
  float bias[Cell::kGates];
  float hidden;
  float cell;

  __device__ PersistentThread(const RecurrentShape& shape, const RecurrentOperands<T>& operands,
                              const PersistentMemory<Tile>& memory, int first_unit, bool vectorised)
      : place(shape, first_unit), targets(memory, place, shape.units), gates(shape, operands, place) {
    load_weights<Tile, Cell::kGates>(shape, of_direction(operands.weight, place.direction), first_unit, vectorised,
                                     weights);
    const T* of_hidden = of_direction(operands.bias, place.direction);
#pragma unroll
    for (int gate = 0; gate < Cell::kGates; ++gate) {
      bias[gate] = of_hidden == nullptr || !place.is_unit ? 0.0f : to_float(of_hidden[gate * shape.units + place.unit]);
    }
  }

  // Step `number`, whose state before lies in the buffer kParity, the parity of `number`.
  template <int kParity, typename Store>
  __device__ __forceinline__ void step(const RecurrentShape& shape, int number, PersistentMemory<Tile>& memory,
                                       uint32_t state_bytes, const Store& store) {
    if (number > 0) {
      ptx::mbarrier_wait_cluster(&memory.arrived[kParity], static_cast<uint32_t>((number - 1) / 2 % 2));
      if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expecting(&memory.arrived[kParity], state_bytes);  // the next state but one
      }
    }
    float sums[Tile::kPairs][Cell::kGates] = {};
    multiply_hidden<Tile, Cell::kGates>(memory.hidden[kParity], weights, sums);
    join_lanes<Tile, Cell::kGates>(sums);
    float from_input[Cell::kGates];
    float from_hidden[Cell::kGates];
#pragma unroll
    for (int gate = 0; gate < Cell::kGates; ++gate) {
      from_input[gate] = to_float(gates.values[kParity][gate]);
      from_hidden[gate] = sums[0][gate] + bias[gate];
    }
    hidden = Cell::hidden(from_input, from_hidden, hidden, cell);
    if (number + 1 < static_cast<int>(shape.steps)) {
      targets.template send<1 - kParity>(place.is_unit ? hidden : 0.0f);
    }
    if (number + 2 < static_cast<int>(shape.steps)) {
      gates.template load<kParity>(shape.units);
    }
    if (place.is_stored) {
      const int64_t time = place.direction == 0 ? number : shape.steps - 1 - number;
      store(time, place.row, place.direction, place.unit, hidden, cell);
    }
  }
};

// The state before the first step, and zeros beside the units of both buffers. All blocks of the cluster then are here.
template <typename Tile, typename InitialHidden>
__device__ __forceinline__ void begin_states(const RecurrentShape& shape, const InitialHidden& initial_hidden,
                                             uint32_t state_bytes, PersistentMemory<Tile>& memory) {
  if (threadIdx.x == 0) {
#pragma unroll
    for (uint64_t& arrived : memory.arrived) {
      ptx::mbarrier_init(&arrived, 1);
      ptx::mbarrier_fence_init();
      ptx::mbarrier_arrive_expecting(&arrived, state_bytes);
    }
  }
  const int64_t first_row = static_cast<int64_t>(blockIdx.x) / Tile::kBlocks * Tile::kRows;
  for (int index = static_cast<int>(threadIdx.x); index < Tile::kRows * Tile::kDepth;
       index += static_cast<int>(blockDim.x)) {
    const int row = index / Tile::kDepth;
    const int unit = index % Tile::kDepth;
    const bool is_there = unit < shape.units && first_row + row < shape.batch;
    memory.hidden[0][row][unit] = is_there ? initial_hidden(blockIdx.y, first_row + row, unit) : 0.0f;
    memory.hidden[1][row][unit] = 0.0f;
  }
  ptx::cluster_arrive();
  ptx::cluster_wait();
}

template <typename Cell, typename Tile, typename T, typename InitialHidden, typename InitialCell, typename Store>
__global__ void __launch_bounds__(Tile::kMaxWarps* kWarpThreads, 1)
    persistent_layer_kernel(RecurrentShape shape, RecurrentOperands<T> operands, bool vectorised,
                            InitialHidden initial_hidden, InitialCell initial_cell, Store store) {
#ifdef STITCH_HAS_CLUSTERS
  __shared__ PersistentMemory<Tile> memory;
  const auto state_bytes = static_cast<uint32_t>(Tile::kRows * (shape.units + shape.units % 2) * sizeof(float));
  begin_states<Tile>(shape, initial_hidden, state_bytes, memory);
  const auto warp = static_cast<int>(ptx::cluster_rank() * (blockDim.x / kWarpThreads) + threadIdx.x / kWarpThreads);
  if (warp * Tile::kUnits >= shape.units) {
    return;  // nobody sends to a block of such warps alone
  }
  PersistentThread<Cell, Tile, T> thread(shape, operands, memory, warp * Tile::kUnits, vectorised);
  const auto& place = thread.place;
  thread.hidden = place.is_unit ? initial_hidden(place.direction, place.row, place.unit) : 0.0f;
  thread.cell = place.is_unit && Cell::kHasCell ? initial_cell(place.direction, place.row, place.unit) : 0.0f;
  thread.gates.template load<0>(shape.units);
  if (shape.steps > 1) {
    thread.gates.template load<1>(shape.units);
  }
  const int steps = static_cast<int>(shape.steps);
  for (int number = 0; number < steps; number += 2) {
    thread.template step<0>(shape, number, memory, state_bytes, store);
    if (number + 1 < steps) {
      thread.template step<1>(shape, number + 1, memory, state_bytes, store);
    }
  }
  // A block that is through has all states that others sent it: nobody writes to one that has left.
#endif
}

}  // namespace rnn_detail

// shape.units: at most most_persistent_units<Tile>(). shape.steps and shape.batch: below 2^28. scratch is used where
// the program was compiled for devices without clusters: there each step is a launch.
template <typename Cell, typename Tile, typename T, typename InitialHidden, typename InitialCell, typename Store>
cudaError_t launch_persistent_layer(const RecurrentShape& shape, const RecurrentOperands<T>& operands,
                                    const InitialHidden& initial_hidden, const InitialCell& initial_cell,
                                    const Store& store, void* scratch, cudaStream_t stream) {
  using namespace rnn_detail;
  if (shape.units > most_persistent_units<Tile>()) {
    return cudaErrorInvalidValue;
  }
  if (shape.directions * shape.batch * shape.units * shape.steps == 0) {
    return cudaSuccess;
  }
  if (!runs_clusters(persistent_layer_kernel<Cell, Tile, T, InitialHidden, InitialCell, Store>)) {
    return launch_recurrent_layer<Cell, RecurrentTile<Tile::kRows, 1>>(shape, operands, initial_hidden, initial_cell,
                                                                       store, scratch, stream);
  }
  const bool vectorised =
      lanes_aligned(operands.weight[0], shape.units) && lanes_aligned(operands.weight[shape.directions - 1]);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {Tile::kBlocks, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(Tile::kBlocks * ceil_divide(shape.batch, Tile::kRows)),
                        static_cast<unsigned>(shape.directions));
  config.blockDim = dim3(static_cast<unsigned>(Tile::warps(shape.units) * kWarpThreads));
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, persistent_layer_kernel<Cell, Tile, T, InitialHidden, InitialCell, Store>, shape,
                            operands, vectorised, initial_hidden, initial_cell, store);
}

}  // namespace stitch
