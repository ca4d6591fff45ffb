// SPDX-License-Identifier: Apache-2.0
// kernels/rnn/stack.cuh's layers by one launch for all layers and time steps (sm_90 and later), fp32 class by three
// fp16 products (kernels/rnn/stack_tile.cuh). A cluster of eight blocks makes kRows samples of a layer, a block an
// eighth of its units. The weights stay on chip: those of the hidden state in registers, those of the input in shared
// memory.
//
// What bounds a step is the way of a state to the other blocks of its cluster and the product with it. So that product
// is on tensor cores, where eight samples cost what one does, and everything else waits for the time in which states
// are under way: there a block multiplies the input of later steps, a chunk of kSteps at once, since weights are read
// from shared memory once a chunk.
//
// States go to the other blocks' shared memory as kernels/rnn/persistent_layer.cuh's do, and to global memory for the
// layer above, which a counter tells of every whole chunk. A layer waits for the one below and never for one above;
// clusters draw tickets and take layers from below, so all that a cluster waits for has begun, however few clusters
// the device runs at once.
//
// The first layer's share of its input is there before (kernels/rnn/stack_gates.cuh): its features may be any number
// and have any values. Where weights or initial states cannot be split, kernels/rnn/stack_repair.cuh makes everything
// again.
#pragma once

#include "kernels/common/shared_memory.cuh"
#include "kernels/rnn/persistent_layer.cuh"
#include "kernels/rnn/stack_gates.cuh"
#include "kernels/rnn/stack_repair.cuh"
#include "kernels/rnn/stack_tile.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/flag.cuh"
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

template <typename Tile, int kLayers, typename Store>
struct StackClusterBlock {
  static constexpr int kGates = Tile::kGates;
  static constexpr int kAhead = 3;  // chunks of the input that are there or under way
  static constexpr uint32_t kStateBytes = Tile::kRows * Tile::kDepth * sizeof(uint32_t);
  using Cell = typename Tile::Cell;
  using Memory = StackClusterMemory<Tile>;
  using Pair = StackPair<Tile>;

  const StackShape& shape;
  const StackOperands<kLayers>& operands;
  const StackState& state;
  const StackClusterPieces<Tile>& pieces;
  const Store& store;
  Memory& memory;
  const StackClusterPlace& place;
  SplitWeights weights[Tile::kTilesOfGate][Tile::kSlicesOfWarp];
  float scale;
  float input_scale;
  StackUnit<kGates> units[Tile::kRounds];

  __device__ int chunks() const { return static_cast<int>(pieces.chunks); }

  // All weights of the block, and its biases.
  __device__ __forceinline__ void load(bool vectorised) {
    const StackThread thread;
    const StackLayer layer = of_layer(operands, place.layer);
    const int gate = thread.warp / Tile::kParts;
    const int64_t first_unit = place.rank * Tile::kUnits;
    bool is_odd = false;
    const GateRows rows{layer.weight + gate * shape.units * shape.units, first_unit, shape.units, shape.units,
                        vectorised};
    const int first_slice = thread.warp % Tile::kParts * Tile::kSlicesOfWarp;
    const WeightScale own(largest_weight<Tile::kTilesOfGate>(rows, 0, first_slice, Tile::kSlicesOfWarp, is_odd));
    scale = own.up;
#pragma unroll
    for (int tile = 0; tile < Tile::kTilesOfGate; ++tile) {
#pragma unroll
      for (int slice = 0; slice < Tile::kSlicesOfWarp; ++slice) {
        weights[tile][slice] = split_tile(rows, tile * Tile::kTileRows, first_slice + slice, own.down);
      }
    }
    if (place.layer > 0) {
      load_input_weights(layer, vectorised, is_odd);
    }
    for (int row = static_cast<int>(threadIdx.x); row < Tile::kGateRows; row += Tile::kThreads) {
      const int64_t unit = first_unit + row % Tile::kUnits;
      const int64_t column = row / Tile::kUnits * shape.units + unit;
      const bool is_unit = unit < shape.units;
      memory.bias[0][row] = is_unit && place.layer > 0 && layer.input_bias != nullptr ? layer.input_bias[column] : 0.0f;
      memory.bias[1][row] = is_unit && layer.bias != nullptr ? layer.bias[column] : 0.0f;
    }
    if (is_odd) {
      pieces.counted[1] = 1;
    }
  }

  __device__ __forceinline__ void load_input_weights(const StackLayer& layer, bool vectorised, bool& is_odd) {
    const StackThread thread;
    const int tile = thread.warp / Tile::kInputParts;
    const int first_row = tile % Tile::kTilesOfGate * Tile::kTileRows;
    const int first_slice = thread.warp % Tile::kInputParts * Tile::kInputSlices;
    const GateRows rows{layer.input_weight + tile / Tile::kTilesOfGate * shape.units * shape.units,
                        place.rank * Tile::kUnits, shape.units, shape.units, vectorised};
    const WeightScale own(largest_weight<1>(rows, first_row, first_slice, Tile::kInputSlices, is_odd));
    input_scale = own.up;
    for (int slice = 0; slice < Tile::kInputSlices; ++slice) {
      const SplitWeights split = split_tile(rows, first_row, first_slice + slice, own.down);
      auto& kept = memory.input_weights[thread.warp][slice];
      store_lanes(kept[0][thread.lane],
                  Lanes<uint32_t, 4>{split.upper[0], split.upper[1], split.upper[2], split.upper[3]});
      store_lanes(kept[1][thread.lane],
                  Lanes<uint32_t, 4>{split.lower[0], split.lower[1], split.lower[2], split.lower[3]});
    }
  }

  // The states before the first step: of all units of the cluster's samples, and the lane's own.
  __device__ __forceinline__ void load_states() {
    bool is_odd = false;
    const float* hidden = state.hidden[0] + place.layer * state.states();
    for (int index = static_cast<int>(threadIdx.x); index < Tile::kRows * Tile::kDepth; index += Tile::kThreads) {
      const int row = index / Tile::kDepth;
      const int64_t unit = index % Tile::kDepth;
      const int64_t sample = min(static_cast<int64_t>(place.cluster) * Tile::kRows + row, shape.batch - 1);
      const float value = unit < shape.units ? hidden[sample * shape.units + unit] : 0.0f;
      is_odd = is_odd || !(fabsf(value) < kLargestState);
      memory.hidden[0][state_word<Tile>(row, static_cast<int>(unit))] = word_of_states(value);
    }
    if (is_odd) {
      pieces.counted[1] = 1;
    }
#pragma unroll
    for (int round = 0; round < Tile::kRounds; ++round) {
      const Pair pair(shape, place, round);
      const float* cell = state.cell + place.layer * state.states();
      units[round].hidden = pair.is_unit ? hidden[pair.index(shape)] : 0.0f;
      units[round].cell = pair.is_unit && Cell::kHasCell ? cell[pair.index(shape)] : 0.0f;
      if (place.layer == 0) {
        load_gates(units[round], pair, 0);
      }
    }
  }

  __device__ __forceinline__ void multiply_hidden(int parity) {
    const StackThread thread;
    const int part = thread.warp % Tile::kParts;
    const int row = thread.lane / 4;
    SplitSums sums[Tile::kTilesOfGate];
#pragma unroll
    for (int slice = 0; slice < Tile::kSlicesOfWarp; ++slice) {
      const int word = (part * Tile::kSlicesOfWarp + slice) * Tile::kSliceDepth + thread.lane % 4 * 4;
      auto words = broadcast_lanes<4>(uint32_t{0});
      if (row < Tile::kRows) {
        words = load_lanes<4>(&memory.hidden[parity][state_word<Tile>(row, word)]);
      }
#pragma unroll
      for (int tile = 0; tile < Tile::kTilesOfGate; ++tile) {
        sums[tile].add(weights[tile][slice].upper, weights[tile][slice].lower, words);
      }
    }
    const int first_row = thread.warp / Tile::kParts * Tile::kUnits;
#pragma unroll
    for (int tile = 0; tile < Tile::kTilesOfGate; ++tile) {
      sums[tile].template store<Tile::kRows>(memory.sums[part], 0, first_row + tile * Tile::kTileRows, scale);
    }
  }

  // Slices from `first` to `last` of the products with the input of `chunk`. Registers have no room for their sums
  // from step to step.
  __device__ __forceinline__ void multiply_input(int chunk, int first, int last) {
    const StackThread thread;
    const int part = thread.warp % Tile::kInputParts;
    SplitSums sums[Tile::kColumnTiles];
#pragma unroll Tile::kInputUnroll
    for (int slice = first; slice < last; ++slice) {
      const auto& kept = memory.input_weights[thread.warp][slice];
      const auto upper = load_lanes<4>(kept[0][thread.lane]);
      const auto lower = load_lanes<4>(kept[1][thread.lane]);
      const uint32_t uppers[4] = {upper[0], upper[1], upper[2], upper[3]};
      const uint32_t lowers[4] = {lower[0], lower[1], lower[2], lower[3]};
      const int word = (part * Tile::kInputSlices + slice) * Tile::kSliceDepth + thread.lane % 4 * 4;
#pragma unroll
      for (int tile = 0; tile < Tile::kColumnTiles; ++tile) {
        const int column = tile * Tile::kColumnsOfTile + thread.lane / 4;
        auto words = broadcast_lanes<4>(uint32_t{0});
        if (column < Tile::kColumns) {
          words = load_lanes<4>(&memory.input[chunk % 2][state_word<Tile>(column, word)]);
        }
        sums[tile].add(uppers, lowers, words);
      }
    }
    const int first_row = thread.warp / Tile::kInputParts * Tile::kTileRows;
#pragma unroll
    for (int tile = 0; tile < Tile::kColumnTiles; ++tile) {
      sums[tile].template store<Tile::kColumns>(memory.input_sums[chunk % 2][part], tile * Tile::kColumnsOfTile,
                                                first_row, input_scale, first > 0);
    }
  }

  // Until the layer below has made all of `chunk`. One thread calls it; a barrier of the block then lets others read.
  __device__ __forceinline__ void wait_for_chunk(int chunk) const {
    while (ptx::load_acquire(pieces.of_chunk(place.layer - 1, place.cluster, chunk)) < Tile::kBlocks) {
      __nanosleep(20);
    }
  }

  // After a barrier of the block behind the last step of `chunk`.
  __device__ __forceinline__ void tell_of_chunk(int chunk) const {
    if (place.layer + 1 < kLayers && threadIdx.x + 1 == Tile::kThreads) {
      ptx::add_release(pieces.of_chunk(place.layer, place.cluster, chunk), 1);
    }
  }

  // Starts to copy the input of `chunk`. Time steps and samples beyond the last repeat it.
  __device__ __forceinline__ void copy_input(int chunk) {
    constexpr int kCopies = Tile::kDepth / 4;  // of a column
    const uint32_t* words = pieces.words + (place.layer - 1) * shape.steps * shape.batch * Tile::kDepth;
#pragma unroll 1
    for (int index = ptx::not_known(static_cast<int>(threadIdx.x)); index < Tile::kColumns * kCopies;
         index += Tile::kThreads) {
      const int column = index / kCopies;
      const int word = index % kCopies * 4;
      const int time = min(chunk * Tile::kSteps + column / Tile::kRows, static_cast<int>(shape.steps) - 1);
      const int sample = min(place.cluster * Tile::kRows + column % Tile::kRows, static_cast<int>(shape.batch) - 1);
      ptx::cp_async_16(&memory.input[chunk % 2][state_word<Tile>(column, word)],
                       words + (time * shape.batch + sample) * Tile::kDepth + word);
    }
    ptx::cp_async_commit();
  }

  // The first layer's share of its input.
  __device__ __forceinline__ void load_gates(StackUnit<kGates>& own, const Pair& pair, int time) const {
    const float* gates = pieces.gates + (time * shape.batch + pair.sample) * kGates * shape.units;
#pragma unroll
    for (int gate = 0; gate < kGates; ++gate) {
      own.gates[gate] = pair.is_unit ? gates[gate * shape.units + pair.unit_of_layer] : 0.0f;
    }
  }

  // The new state of a lane's unit.
  __device__ __forceinline__ void make(StackUnit<kGates>& own, const Pair& pair, int chunk, int step_of_chunk) const {
    float from_input[kGates];
    float from_hidden[kGates];
#pragma unroll
    for (int gate = 0; gate < kGates; ++gate) {
      const int gate_row = gate * Tile::kUnits + pair.unit;
      from_hidden[gate] = memory.bias[1][gate_row];
#pragma unroll
      for (int part = 0; part < Tile::kParts; ++part) {
        from_hidden[gate] += memory.sums[part][pair.row][gate_row];
      }
      if (place.layer == 0) {
        from_input[gate] = own.gates[gate];
      } else {
        from_input[gate] = memory.bias[0][gate_row];
#pragma unroll
        for (int part = 0; part < Tile::kInputParts; ++part) {
          from_input[gate] += memory.input_sums[chunk % 2][part][step_of_chunk * Tile::kRows + pair.row][gate_row];
        }
      }
    }
    own.hidden = Cell::hidden(from_input, from_hidden, own.hidden, own.cell);
  }

  // To all blocks of the cluster, to the buffer before the step `time`. All lanes of the warp take part.
  __device__ __forceinline__ void send(const Pair& pair, uint32_t word, int time) const {
    const int lane = StackThread().lane;
    uint32_t words[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      words[i] = __shfl_sync(kFullWarp, word, lane / 4 * 4 + i);
    }
    if (pair.is_row && time < shape.steps) {
      const int first = place.rank * Tile::kUnits + pair.unit / 4 * 4;
      const uint32_t* to = &memory.hidden[time % 2][state_word<Tile>(pair.row, first)];
#pragma unroll
      for (uint32_t i = 0; i < Tile::kBlocks; i += 4) {
        ptx::cluster_store_async(ptx::cluster_address(to, lane % 4 + i), words,
                                 ptx::cluster_address(&memory.arrived[time % 2], lane % 4 + i));
      }
    }
  }

  // To the layer above, or where the results lie.
  __device__ __forceinline__ void keep(const StackUnit<kGates>& own, const Pair& pair, uint32_t word, int time) const {
    if (!pair.is_sample) {
      return;
    }
    if (place.layer + 1 < kLayers) {
      uint32_t* words = pieces.words + (place.layer * shape.steps + time) * shape.batch * Tile::kDepth;
      words[pair.sample * Tile::kDepth + pair.unit_of_layer] = word;
      if (time + 1 == shape.steps && pair.is_unit) {
        store_last_states<Cell>(of_layer(operands, ptx::not_known(place.layer)), pair.index(shape), own.hidden,
                                own.cell);
      }
    } else if (pair.is_unit) {
      store(time, pair.sample, 0, pair.unit_of_layer, own.hidden, own.cell);
    }
  }

  // What a warp does once the sums of a step are there.
  __device__ __forceinline__ void finish(int round, int time, int chunk, int step_of_chunk) {
    const Pair pair(shape, place, round);
    StackUnit<kGates>& own = units[round];
    make(own, pair, chunk, step_of_chunk);
    const uint32_t word = word_of_states(own.hidden);
    send(pair, word, time + 1);
    keep(own, pair, word, time);
    if (place.layer == 0 && time + 1 < shape.steps) {
      load_gates(own, pair, time + 1);
    }
  }

  // The input of the first two chunks, and the products of the first.
  __device__ __forceinline__ void begin_input() {
    if (threadIdx.x == 0) {
      for (int chunk = 0; chunk < min(kAhead, chunks()); ++chunk) {
        wait_for_chunk(chunk);
      }
    }
    __syncthreads();
    copy_input(0);
    if (chunks() > 1) {
      copy_input(1);
    }
    ptx::cp_async_wait<0>();
    __syncthreads();
    multiply_input(0, 0, Tile::kInputSlices);
  }

  // What a step does for the chunks to come, while states are under way.
  __device__ __forceinline__ void look_ahead(int chunk, int step_of_chunk) {
    if (step_of_chunk == 0 && chunk + 2 < chunks()) {
      copy_input(chunk + 2);
    }
    if (chunk + 1 < chunks()) {
      multiply_input(chunk + 1, step_of_chunk * Tile::kInputSlices / Tile::kSteps,
                     (step_of_chunk + 1) * Tile::kInputSlices / Tile::kSteps);
    }
    // Their copies start in the next step.
    constexpr int kWaiting = Tile::kThreads - 2 * kWarpThreads;
    if (step_of_chunk + 1 == Tile::kSteps && chunk + kAhead < chunks() && threadIdx.x == kWaiting) {
      wait_for_chunk(chunk + kAhead);
    }
    __syncwarp();
  }

  __device__ __forceinline__ void step(int time, int chunk, int step_of_chunk) {
    const int parity = time % 2;
    if (time > 0) {
      ptx::mbarrier_wait_cluster(&memory.arrived[parity], static_cast<uint32_t>((time - 1) / 2 % 2));
      if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expecting(&memory.arrived[parity], kStateBytes);  // the next state but one
      }
    }
    multiply_hidden(parity);
    if (step_of_chunk + 1 == Tile::kSteps) {
      ptx::cp_async_wait<0>();
    }
    __syncthreads();  // all sums are there
    const int warp = StackThread().warp;
#pragma unroll
    for (int round = 0; round < Tile::kRounds; ++round) {
      if (round * Tile::kWarps + warp < Tile::kPairWarps) {
        finish(round, time, chunk, step_of_chunk);
      }
    }
    if (step_of_chunk == 0 && chunk > 0) {
      tell_of_chunk(chunk - 1);
    }
    if (place.layer > 0) {
      look_ahead(chunk, step_of_chunk);
    }
  }
};

// The cluster's number among those that have begun. All blocks of the cluster then are there.
template <typename Tile>
__device__ __forceinline__ unsigned begin_cluster(StackClusterMemory<Tile>& memory, unsigned* tickets,
                                                  uint32_t state_bytes) {
  if (threadIdx.x == 0) {
#pragma unroll
    for (uint64_t& arrived : memory.arrived) {
      ptx::mbarrier_init(&arrived, 1);
      ptx::mbarrier_fence_init();
      ptx::mbarrier_arrive_expecting(&arrived, state_bytes);
    }
  }
  ptx::cluster_arrive();
  ptx::cluster_wait();
  if (ptx::cluster_rank() == 0 && threadIdx.x == 0) {
    const unsigned ticket = atomicAdd(tickets, 1u);
    for (uint32_t rank = 0; rank < Tile::kBlocks; ++rank) {
      ptx::cluster_store(ptx::cluster_address(&memory.ticket, rank), __uint_as_float(ticket));
    }
  }
  ptx::cluster_arrive();
  ptx::cluster_wait();
  return __float_as_uint(memory.ticket);
}

template <typename Tile, int kLayers, typename Store>
__global__ void __launch_bounds__(Tile::kThreads, 1)
    stack_clusters_kernel(StackShape shape, StackOperands<kLayers> operands, StackState state,
                          StackClusterPieces<Tile> pieces, bool vectorised, Store store) {
#ifdef STITCH_HAS_CLUSTERS
  extern __shared__ __align__(16) unsigned char stack_cluster_memory[];
  auto& memory = *reinterpret_cast<StackClusterMemory<Tile>*>(stack_cluster_memory);
  using Block = StackClusterBlock<Tile, kLayers, Store>;
  const unsigned ticket = begin_cluster<Tile>(memory, pieces.counted, Block::kStateBytes);
  const auto clusters = static_cast<unsigned>(pieces.clusters);
  const StackClusterPlace place{static_cast<int>(ticket / clusters), static_cast<int>(ticket % clusters),
                                static_cast<int>(ptx::cluster_rank())};
  Block block{shape, operands, state, pieces, store, memory, place};
  block.load(vectorised);
  block.load_states();
  __syncthreads();
  if (place.layer > 0) {
    block.begin_input();
  }
  int time = 0;
  for (int chunk = 0; time < shape.steps; ++chunk) {
    for (int i = 0; i < Tile::kSteps && time < shape.steps; ++i) {
      block.step(time, chunk, i);
      ++time;
    }
  }
  __syncthreads();
  block.tell_of_chunk(block.chunks() - 1);
  // A block that is through has all states that others sent it: nobody writes to one that has left.
#endif
}

}  // namespace rnn_detail

// After StackState::fill() of every layer. Tile::kDepth: at least shape.units. pieces: of the same shape.
template <typename Tile, int kLayers, typename Store>
cudaError_t launch_stack_clusters(const StackShape& shape, const StackOperands<kLayers>& operands,
                                  const StackState& state, const StackClusterPieces<Tile>& pieces, const Store& store,
                                  cudaStream_t stream) {
  using namespace rnn_detail;
  using Cell = typename Tile::Cell;
  const auto kernel = stack_clusters_kernel<Tile, kLayers, Store>;
  if (shape.units > Tile::kDepth) {
    return cudaErrorInvalidValue;
  }
  if (state.states() * shape.steps == 0) {
    return cudaSuccess;
  }
  const auto by_waves = [&] {
    return launch_recurrent_stack<Cell, RecurrentTile<Tile::kRows, 1>>(shape, operands, state, store, stream);
  };
  if (!runs_clusters(kernel)) {
    return by_waves();
  }
  if (const cudaError_t error = cudaMemsetAsync(pieces.counted, 0, pieces.counters * sizeof(unsigned), stream);
      error != cudaSuccess) {
    return error;
  }
  if (const cudaError_t error = launch_stack_gates<Cell>(shape, operands, pieces.gates, stream); error != cudaSuccess) {
    return error;
  }
  constexpr int kMemoryBytes = sizeof(StackClusterMemory<Tile>);
  if (const cudaError_t error = allow_shared_memory(kernel, kMemoryBytes); error != cudaSuccess) {
    return error;
  }
  bool vectorised = shape.units % kDepthOfLoad == 0;
  for (int number = 0; number < kLayers; ++number) {
    vectorised = vectorised && lanes_aligned(operands.layers[number].weight) &&
                 (number == 0 || lanes_aligned(operands.layers[number].input_weight));
  }
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {Tile::kBlocks, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(Tile::kBlocks * pieces.clusters * kLayers));
  config.blockDim = dim3(Tile::kThreads);
  config.dynamicSmemBytes = kMemoryBytes;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  if (const cudaError_t error = cudaLaunchKernelEx(&config, stack_clusters_kernel<Tile, kLayers, Store>, shape,
                                                   operands, state, pieces, vectorised, store);
      error != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // of a part of a device, which holds no such cluster
    return by_waves();
  }
  stack_repair_kernel<Cell, kLayers><<<static_cast<unsigned>(shape.batch), kRepairThreads, 0, stream>>>(
      shape, operands, state, pieces.counted + 1, store);
  return cudaGetLastError();
}

}  // namespace stitch
