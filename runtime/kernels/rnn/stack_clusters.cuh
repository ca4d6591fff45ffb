// SPDX-License-Identifier: Apache-2.0
// kernels/rnn/stack.cuh's layers by one launch for all layers and time steps (sm_90 and later), fp32 class by three
// fp16 products (kernels/rnn/stack_tile.cuh). A cluster of eight blocks makes kRows samples of a layer, a block an
// eighth of its units. The weights stay on chip: those of the hidden state in registers, those of the input in shared
// memory.
//
// What bounds a step is the way of a state to the other blocks of its cluster and the product with it. So that product
// is on tensor cores, where eight samples cost what one does, and four warps of their own multiply the input beside:
// a chunk of kSteps time steps at once, since weights are read from shared memory once a chunk.
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
#include "kernels/rnn/stack_place.cuh"
#include "kernels/rnn/stack_repair.cuh"
#include "kernels/rnn/stack_tile.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/flag.cuh"
#include "ptx/mbarrier.cuh"
#include "ptx/not_known.cuh"
#include "ptx/warpgroup.cuh"

namespace stitch {

namespace rnn_detail {

template <typename Tile, int kLayers, typename Store>
struct StackClusterBlock {
  static constexpr int kGates = Tile::kGates;
  static constexpr int kPairWarps = Tile::kPairWarps < Tile::kWarps ? Tile::kPairWarps : Tile::kWarps;
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
  float input_scales[Tile::kInputTiles];
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

  // Of a warp of the input.
  __device__ __forceinline__ void load_input_weights(bool vectorised) {
    const StackThread thread;
    const StackLayer layer = of_layer(operands, place.layer);
    const int warp = thread.warp - Tile::kWarps;
    const int first_slice = warp % Tile::kInputParts * Tile::kInputSlices;
    bool is_odd = false;
#pragma unroll
    for (int i = 0; i < Tile::kInputTiles; ++i) {
      const int tile = warp / Tile::kInputParts * Tile::kInputTiles + i;
      const int first_row = tile % Tile::kTilesOfGate * Tile::kTileRows;
      const GateRows rows{layer.input_weight + tile / Tile::kTilesOfGate * shape.units * shape.units,
                          place.rank * Tile::kUnits, shape.units, shape.units, vectorised};
      const WeightScale own(largest_weight<1>(rows, first_row, first_slice, Tile::kInputSlices, is_odd));
      input_scales[i] = own.up;
      for (int slice = first_slice; slice < first_slice + Tile::kInputSlices; ++slice) {
        const SplitWeights split = split_tile(rows, first_row, slice, own.down);
        auto& kept = memory.input_weights[tile][slice];
        store_lanes(kept[0][thread.lane],
                    Lanes<uint32_t, 4>{split.upper[0], split.upper[1], split.upper[2], split.upper[3]});
        store_lanes(kept[1][thread.lane],
                    Lanes<uint32_t, 4>{split.lower[0], split.lower[1], split.lower[2], split.lower[3]});
      }
    }
    if (is_odd) {
      pieces.counted[1] = 1;
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

  // Products of the warp's tiles from `first` on with the input of `chunk`.
  __device__ __forceinline__ void multiply_tiles(int chunk, int first,
                                                 SplitSums (&sums)[Tile::kInputTiles][Tile::kColumnTiles]) {
    const StackThread thread;
    const int part = (thread.warp - Tile::kWarps) % Tile::kInputParts;
#pragma unroll 2
    for (int i = 0; i < Tile::kInputSlices; ++i) {
      const int slice = part * Tile::kInputSlices + i;
      const int word = slice * Tile::kSliceDepth + thread.lane % 4 * 4;
      Lanes<uint32_t, 4> words[Tile::kColumnTiles];
#pragma unroll
      for (int half = 0; half < Tile::kColumnTiles; ++half) {
        const int column = half * Tile::kColumnsOfTile + thread.lane / 4;
        words[half] = broadcast_lanes<4>(uint32_t{0});
        if (column < Tile::kColumns) {
          words[half] = load_lanes<4>(&memory.input[chunk % 2][state_word<Tile>(column, word)]);
        }
      }
#pragma unroll
      for (int tile = 0; tile < Tile::kInputTiles; ++tile) {
        const auto& kept = memory.input_weights[first + tile][slice];
        const auto upper = load_lanes<4>(kept[0][thread.lane]);
        const auto lower = load_lanes<4>(kept[1][thread.lane]);
        const uint32_t uppers[4] = {upper[0], upper[1], upper[2], upper[3]};
        const uint32_t lowers[4] = {lower[0], lower[1], lower[2], lower[3]};
#pragma unroll
        for (int half = 0; half < Tile::kColumnTiles; ++half) {
          sums[tile][half].add(uppers, lowers, words[half]);
        }
      }
    }
  }

  // The products with the input of `chunk`, once their sums' place is free.
  __device__ __forceinline__ void multiply_input(int chunk) {
    const StackThread thread;
    const int warp = thread.warp - Tile::kWarps;
    const int first_tile = warp / Tile::kInputParts * Tile::kInputTiles;
    SplitSums sums[Tile::kInputTiles][Tile::kColumnTiles];
    multiply_tiles(chunk, first_tile, sums);
    if (chunk > 1) {
      ptx::mbarrier_wait(&memory.freed[chunk % 2], static_cast<uint32_t>((chunk / 2 - 1) % 2));
    }
#pragma unroll
    for (int tile = 0; tile < Tile::kInputTiles; ++tile) {
#pragma unroll
      for (int half = 0; half < Tile::kColumnTiles; ++half) {
        sums[tile][half].template store<Tile::kColumns>(memory.input_sums[chunk % 2][warp % Tile::kInputParts],
                                                        half * Tile::kColumnsOfTile,
                                                        (first_tile + tile) * Tile::kTileRows, input_scales[tile]);
      }
    }
    __syncwarp();
    if (thread.lane == 0) {
      ptx::mbarrier_arrive(&memory.filled[chunk % 2]);
    }
  }

  // Until the layer below has made all of `chunk`. One thread calls it; a barrier then lets others read.
  __device__ __forceinline__ void wait_for_chunk(int chunk) const {
    while (ptx::load_acquire(pieces.of_chunk(place.layer - 1, place.cluster, chunk)) < Tile::kBlocks) {
      __nanosleep(20);
    }
  }

  // After a barrier of the warps of states behind the last step of `chunk`.
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
    for (int index = static_cast<int>(threadIdx.x) - Tile::kThreads; index < Tile::kColumns * kCopies;
         index += Tile::kInputThreads) {
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

  // What the warps of the input do, chunk after chunk.
  __device__ __forceinline__ void run_input() {
    const bool is_first = threadIdx.x == Tile::kThreads;
    if (is_first) {
      wait_for_chunk(0);
    }
    ptx::barrier_of_threads<kOfInput, Tile::kInputThreads>();
    copy_input(0);
    for (int chunk = 0; chunk < chunks(); ++chunk) {
      if (is_first && chunk + 1 < chunks()) {
        wait_for_chunk(chunk + 1);
      }
      ptx::cp_async_wait<0>();
      ptx::barrier_of_threads<kOfInput, Tile::kInputThreads>();  // the chunk is there, and the one before was read
      if (chunk + 1 < chunks()) {
        copy_input(chunk + 1);
      }
      multiply_input(chunk);
    }
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
    ptx::barrier_of_threads<kOfStates, Tile::kThreads>();  // all sums are there
    const int warp = StackThread().warp;
    const bool has_input = place.layer > 0 && warp < kPairWarps;
    if (has_input && step_of_chunk == 0) {
      ptx::mbarrier_wait(&memory.filled[chunk % 2], static_cast<uint32_t>(chunk / 2 % 2));
    }
#pragma unroll
    for (int round = 0; round < Tile::kRounds; ++round) {
      if (round * Tile::kWarps + warp < Tile::kPairWarps) {
        finish(round, time, chunk, step_of_chunk);
      }
    }
    if (has_input && step_of_chunk + 1 == Tile::kSteps) {
      __syncwarp();
      if (threadIdx.x % kWarpThreads == 0) {
        ptx::mbarrier_arrive(&memory.freed[chunk % 2]);
      }
    }
    if (step_of_chunk == 0 && chunk > 0) {
      tell_of_chunk(chunk - 1);
    }
  }

  // What the warps of states do, step after step.
  __device__ __forceinline__ void run_states() {
    int time = 0;
    for (int chunk = 0; time < shape.steps; ++chunk) {
      for (int i = 0; i < Tile::kSteps && time < shape.steps; ++i) {
        step(time, chunk, i);
        ++time;
      }
    }
    ptx::barrier_of_threads<kOfStates, Tile::kThreads>();
    tell_of_chunk(chunks() - 1);
  }

  static constexpr int kOfStates = 1, kOfInput = 2;  // names of barriers
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
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      constexpr int kFinishing = Tile::kPairWarps < Tile::kWarps ? Tile::kPairWarps : Tile::kWarps;
      ptx::mbarrier_init(&memory.filled[i], Tile::kInputWarps);
      ptx::mbarrier_init(&memory.freed[i], kFinishing);
    }
    ptx::mbarrier_fence_init();
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
__global__ void __launch_bounds__(Tile::kBlockThreads, 1)
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
  if (threadIdx.x < Tile::kThreads) {
    block.load(vectorised);
    block.load_states();
    ptx::barrier_of_threads<Block::kOfStates, Tile::kThreads>();
    block.run_states();
  } else if (place.layer > 0) {
    block.load_input_weights(vectorised);
    block.run_input();
  }
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
  config.blockDim = dim3(Tile::kBlockThreads);
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
