// SPDX-License-Identifier: Apache-2.0
// Times stacks of recurrent layers in fp32: a launch a wave, a launch of clusters a layer with the product of its input
// before, and one launch of clusters for all layers. Outputs and last states must not differ from the waves' but by
// rounding.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include
//   bench/kernels/recurrent_stack_bench.cu
// Arguments: names of stacks; none for all.
#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "harness.cuh"
#include "kernels/rnn/stack_clusters.cuh"

namespace {

using namespace stitch;
using namespace stitch_bench;

struct InitialState {
  const float* state;
  int64_t units;

  __device__ float operator()(int64_t, int64_t row, int64_t unit) const { return state[row * units + unit]; }
};

struct StoreState {
  float* y;
  float* last;
  StackShape shape;

  __device__ void operator()(int64_t time, int64_t row, int64_t, int64_t unit, float hidden, float cell) const {
    y[(time * shape.batch + row) * shape.units + unit] = hidden;
    last[row * shape.units + unit] = hidden + cell;
  }
};

__global__ void scale_kernel(float* data, int64_t count, float factor) {
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < count; i += int64_t{gridDim.x} * blockDim.x) {
    data[i] *= factor;
  }
}

std::vector<std::string_view> wanted;  // empty for all

template <typename Cell, int kLayers>
struct Stack {
  const char* name;
  StackShape shape;
  int64_t states;
  int64_t width;
  Buffer x, y, last, scratch, weights, biases, initial, lasts;
  StackOperands<kLayers> operands{};
  StackState state;
  std::vector<float> expected;

  static constexpr int64_t kSpare = int64_t{24} << 20;

  Stack(const char* name, const StackShape& shape)
      : name(name),
        shape(shape),
        states(shape.batch * shape.units),
        width(Cell::kGates * shape.units),
        x(shape.steps * shape.batch * shape.features, 1),
        y(shape.steps * states, 2),
        last(states, 3),
        scratch(3 * kLayers * states + kSpare, 4),
        weights(kLayers * width * (shape.units + std::max(shape.units, shape.features)), 5),
        biases(2 * kLayers * width, 6),
        initial(2 * kLayers * states, 7),
        lasts(2 * kLayers * states, 8),
        state(shape, kLayers, scratch.data()) {
    scale_kernel<<<256, 256>>>(weights.data(), weights.count(), 1.7f / sqrtf(static_cast<float>(shape.units)));
    operands.x = x.data();
    operands.x_time_stride = shape.batch * shape.features;
    operands.x_batch_stride = shape.features;
    const int64_t stride = weights.count() / kLayers;
    for (int i = 0; i < kLayers; ++i) {
      float* first = weights.data() + i * stride;
      operands.layers[i] = {first + width * shape.units,   first,
                            biases.data() + 2 * i * width, biases.data() + (2 * i + 1) * width,
                            lasts.data() + 2 * i * states, lasts.data() + (2 * i + 1) * states};
    }
  }

  StoreState store() const { return {y.data(), last.data(), shape}; }

  cudaError_t fill() const {
    for (int i = 0; i < kLayers; ++i) {
      state.fill(i, InitialState{initial.data() + 2 * i * states, shape.units},
                 InitialState{initial.data() + (2 * i + 1) * states, shape.units}, nullptr);
    }
    return cudaGetLastError();
  }

  std::vector<float> outputs() const {
    std::vector<float> values = y.values();
    for (const Buffer* each : {&last, &lasts}) {
      const std::vector<float> more = each->values();
      values.insert(values.end(), more.begin(), more.end());
    }
    values.resize(values.size() - static_cast<size_t>(2 * states));  // the last layer's states are in `last`
    if (!Cell::kHasCell) {
      for (int i = 0; i + 1 < kLayers; ++i) {
        std::fill_n(values.end() - (2 * i + 1) * states, states, 0.0f);
      }
    }
    return values;
  }

  void print(const char* setting, double elapsed_us, double difference) const {
    std::printf("%-14s %-22s %10.1f us %8.3f us a step  differs %.2e%s\n", name, setting, elapsed_us,
                elapsed_us / static_cast<double>(shape.steps), difference, difference <= 1e-4 ? "" : "  WRONG");
    std::fflush(stdout);
  }

  double difference() const {
    const std::vector<float> values = outputs();
    double greatest = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double one = std::abs(static_cast<double>(values[i]) - static_cast<double>(expected[i]));
      greatest = one <= greatest ? greatest : one;  // a NaN stays
    }
    return greatest;
  }

  void forget() const {
    cudaMemset(y.data(), 0xff, static_cast<std::size_t>(y.count()) * sizeof(float));
    cudaMemset(last.data(), 0xff, static_cast<std::size_t>(last.count()) * sizeof(float));
    cudaMemset(lasts.data(), 0xff, static_cast<std::size_t>(lasts.count()) * sizeof(float));
  }

  template <typename Launch>
  void time(const char* setting, const Launch& launch) {
    forget();
    const double elapsed_us = cold_us([&] {
      fill();
      return launch();
    });
    if (expected.empty()) {
      expected = outputs();
    }
    print(setting, elapsed_us, difference());
  }

  template <int kRows>
  void waves() {
    time("waves", [&] {
      return launch_recurrent_stack<Cell, RecurrentTile<kRows, 1>>(shape, operands, state, store(), nullptr);
    });
  }

  // Layer by layer; products of inputs by the plain kernel, which today's plans do better.
  template <int kRows>
  void layers(const char* setting, bool with_products) {
    float* const gates = scratch.data() + 3 * kLayers * states;
    float* between = gates + shape.steps * shape.batch * width;
    const RecurrentShape own{shape.steps, shape.batch, 1, shape.units};
    forget();
    const double elapsed_us = cold_us([&] {
      for (int i = 0; i < kLayers; ++i) {
        StackShape of_layer = shape;
        StackOperands<1> each{between, states, shape.units, {operands.layers[i]}};
        of_layer.features = shape.units;
        if (i == 0) {
          each.x = operands.x, each.x_time_stride = operands.x_time_stride, each.x_batch_stride = shape.features;
          of_layer.features = shape.features;
        }
        if (with_products) {
          launch_stack_gates<Cell>(of_layer, each, gates, nullptr);
        }
        const RecurrentOperands<float> read{
            {gates}, {shape.batch * width}, {width}, {operands.layers[i].weight}, {operands.layers[i].bias}};
        const InitialState hidden{initial.data() + 2 * i * states, shape.units};
        const InitialState cell{initial.data() + (2 * i + 1) * states, shape.units};
        const StoreState to{i + 1 == kLayers ? y.data() : between, last.data(), shape};
        launch_persistent_layer<Cell, PersistentTile<kRows, 2, 2>>(own, read, hidden, cell, to, nullptr, nullptr);
      }
      return cudaGetLastError();
    });
    std::printf("%-14s %-22s %10.1f us %8.3f us a step\n", name, setting, elapsed_us,
                elapsed_us / static_cast<double>(shape.steps));
  }

  void gates() const {
    const double elapsed_us = cold_us(
        [&] { return launch_stack_gates<Cell>(shape, operands, scratch.data() + 3 * kLayers * states, nullptr); });
    std::printf("%-14s %-22s %10.1f us\n", name, "gates of layer 0", elapsed_us);
  }

  template <typename Tile>
  void clusters(const char* setting) {
    const StackClusterPieces<Tile> pieces(shape, kLayers, scratch.data() + 3 * kLayers * states);
    const auto* const end = reinterpret_cast<const float*>(pieces.counted + pieces.counters);
    if (end > scratch.data() + scratch.count()) {
      std::printf("%-14s too little scratch\n", name);
      return;
    }
    time(setting, [&] { return launch_stack_clusters(shape, operands, state, pieces, store(), nullptr); });
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {Tile::kBlocks, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(1024);
    config.blockDim = dim3(Tile::kThreads);
    config.dynamicSmemBytes = sizeof(rnn_detail::StackClusterMemory<Tile>);
    config.attrs = &cluster;
    config.numAttrs = 1;
    int count = 0;
    cudaOccupancyMaxActiveClusters(&count, rnn_detail::stack_clusters_kernel<Tile, kLayers, StoreState>, &config);
    std::printf("%-14s %-22s %d clusters, %d at once\n", name, setting, static_cast<int>(pieces.clusters) * kLayers,
                count);
  }
};

bool is_wanted(const char* name) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

template <typename Cell, int kLayers, int kUnits, int kRows>
void time_stack(const char* name, const StackShape& shape) {
  if (!is_wanted(name)) {
    return;
  }
  Stack<Cell, kLayers> stack(name, shape);
  stack.template waves<5>();
  if constexpr (kUnits == 32) {
    stack.template layers<1>("layers, rows_1", true);
    stack.template layers<1>("without products", false);
  }
  stack.gates();
  stack.template clusters<StackClusterTile<Cell, kUnits, kRows>>("clusters");
}

}  // namespace

int main(int count, char** names) {
  wanted.assign(names + 1, names + count);
  time_stack<LstmCell, 6, 32, 5>("lstm", {512, 10, 256, 128});
  time_stack<GruCell, 6, 32, 5>("gru", {512, 10, 256, 128});
  time_stack<LstmCell, 6, 32, 8>("lstm_16", {512, 16, 256, 128});
  time_stack<RnnTanhCell, 6, 32, 5>("rnn", {512, 10, 256, 128});
  time_stack<LstmCell, 3, 32, 1>("lstm_1", {300, 1, 200, 77});
  time_stack<GruCell, 4, 16, 7>("gru_128", {512, 13, 128, 33});
  return 0;
}
