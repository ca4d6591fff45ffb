// SPDX-License-Identifier: Apache-2.0
// Times recurrent layers in fp32, us a time step: a launch a step, waves of a layer that stands alone, and one launch
// of clusters for all steps, whose outputs must not differ from the first's but by rounding.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include
//   bench/kernels/recurrent_bench.cu
// Arguments: names of layers; none for all.
#include <algorithm>
#include <cinttypes>
#include <string_view>
#include <vector>

#include "harness.cuh"
#include "kernels/rnn/persistent_layer.cuh"
#include "kernels/rnn/stack.cuh"

namespace {

using namespace stitch;
using namespace stitch_bench;

struct InitialState {
  const float* state;
  int64_t batch;
  int64_t units;

  __device__ float operator()(int64_t direction, int64_t row, int64_t unit) const {
    return state[(direction * batch + row) * units + unit];
  }
};

struct StoreState {
  float* y;
  float* last;
  RecurrentShape shape;

  __device__ void operator()(int64_t time, int64_t row, int64_t direction, int64_t unit, float hidden,
                             float cell) const {
    y[((time * shape.batch + row) * shape.directions + direction) * shape.units + unit] = hidden;
    last[(direction * shape.batch + row) * shape.units + unit] = hidden + cell;
  }
};

// Weights as trained ones are scaled: a state then stays within (-1, 1) without being driven there.
__global__ void scale_kernel(float* data, int64_t count, float factor) {
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < count; i += int64_t{gridDim.x} * blockDim.x) {
    data[i] *= factor;
  }
}

std::vector<std::string_view> wanted;  // empty for all

template <typename Cell>
struct Layer {
  const char* name;
  RecurrentShape shape;
  int64_t width;
  Buffer x;
  Buffer weight;
  Buffer bias;
  Buffer initial;
  Buffer y;
  Buffer last;
  Buffer scratch;
  std::vector<float> expected;

  Layer(const char* name, const RecurrentShape& shape)
      : name(name),
        shape(shape),
        width(Cell::kGates * shape.units),
        x(shape.directions * shape.steps * shape.batch * width, 1),
        weight(2 * width * shape.units, 2),
        bias(2 * width, 3),
        initial(shape.directions * shape.batch * shape.units, 4),
        y(shape.steps * shape.batch * shape.directions * shape.units, 5),
        last(shape.directions * shape.batch * shape.units, 6),
        scratch(recurrent_scratch_floats(shape), 7) {
    scale_kernel<<<256, 256>>>(weight.data(), weight.count(), 1.7f / sqrtf(static_cast<float>(shape.units)));
  }

  RecurrentOperands<float> operands() const {
    RecurrentOperands<float> all{};
    for (int64_t direction = 0; direction < shape.directions; ++direction) {
      all.gates[direction] = x.data() + direction * shape.steps * shape.batch * width;
      all.gates_time_stride[direction] = shape.batch * width;
      all.gates_batch_stride[direction] = width;
      all.weight[direction] = weight.data() + direction * width * shape.units;
      all.bias[direction] = bias.data() + direction * width;
    }
    return all;
  }

  StoreState store() const { return {y.data(), last.data(), shape}; }
  InitialState state() const { return {initial.data(), shape.batch, shape.units}; }

  std::vector<float> outputs() const {
    std::vector<float> values = y.values();
    const std::vector<float> states = last.values();
    values.insert(values.end(), states.begin(), states.end());
    return values;
  }

  void forget() const {
    cudaMemset(y.data(), 0xff, static_cast<std::size_t>(y.count()) * sizeof(float));
    cudaMemset(last.data(), 0xff, static_cast<std::size_t>(last.count()) * sizeof(float));
  }

  void print(const char* setting, double elapsed_us, double difference) const {
    std::printf("%-14s %-16s %10.1f us %8.3f us a step  differs %.2e%s\n", name, setting, elapsed_us,
                elapsed_us / static_cast<double>(shape.steps), difference, difference <= 1e-4 ? "" : "  WRONG");
    std::fflush(stdout);
  }

  template <int kRows>
  void steps(const char* setting) {
    forget();
    const double elapsed_us = median_us([&] {
      return launch_recurrent_layer<Cell, RecurrentTile<kRows, 1>>(shape, operands(), state(), state(), store(),
                                                                   scratch.data(), nullptr);
    });
    if (expected.empty()) {
      expected = outputs();
    }
    print(setting, elapsed_us, difference());
  }

  // A layer alone, which multiplies its input by weights as well: no outputs to compare.
  void waves() const {
    const StackState states({shape.steps, shape.batch, shape.units, shape.units}, 1, scratch.data());
    StackOperands<1> stack{x.data(), shape.batch * shape.units, shape.units, {}};
    stack.layers[0] = {weight.data(), weight.data(), bias.data(), bias.data(), nullptr, nullptr};
    const double elapsed_us = median_us([&] {
      return launch_recurrent_stack<Cell, RecurrentTile<10, 1>>(states.shape, stack, states, store(), nullptr);
    });
    std::printf("%-14s %-16s %10.1f us %8.3f us a step\n", name, "wave, one layer", elapsed_us,
                elapsed_us / static_cast<double>(shape.steps));
  }

  // Clusters that the device runs at once.
  template <typename Tile>
  int clusters_at_once() const {
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {Tile::kBlocks, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(1024);
    config.blockDim = dim3(static_cast<unsigned>(Tile::warps(shape.units) * kWarpThreads));
    config.attrs = &cluster;
    config.numAttrs = 1;
    int count = 0;
    cudaOccupancyMaxActiveClusters(
        &count, rnn_detail::persistent_layer_kernel<Cell, Tile, float, InitialState, InitialState, StoreState>,
        &config);
    return count;
  }

  template <typename Tile>
  void persistent(const char* setting) const {
    forget();
    const double elapsed_us = median_us([&] {
      return launch_persistent_layer<Cell, Tile>(shape, operands(), state(), state(), store(), scratch.data(), nullptr);
    });
    print(setting, elapsed_us, difference());
    std::printf("%-14s %-16s %" PRId64 " clusters, %d at once\n", name, setting,
                shape.directions * ceil_divide(shape.batch, Tile::kRows), clusters_at_once<Tile>());
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
};

template <typename Cell, int kUnitsOfWarp, int kPieces>
void time_layer(const char* name, const RecurrentShape& shape) {
  if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) {
    return;
  }
  Layer<Cell> layer(name, shape);
  layer.template steps<5>("a launch a step");
  layer.template steps<1>("one row a block");
  if (shape.directions == 1) {
    layer.waves();
  }
  layer.template persistent<PersistentTile<1, kUnitsOfWarp, kPieces>>("cluster_rows_1");
  layer.template persistent<PersistentTile<2, kUnitsOfWarp, kPieces>>("cluster_rows_2");
  layer.template persistent<PersistentTile<4, kUnitsOfWarp, kPieces>>("cluster_rows_4");
}

}  // namespace

int main(int count, char** names) {
  wanted.assign(names + 1, names + count);
  time_layer<GruCell, 2, 2>("gru", {512, 10, 1, 256});
  time_layer<GruCell, 2, 2>("gru_both", {512, 10, 2, 256});
  time_layer<LstmCell, 2, 2>("lstm", {512, 10, 1, 256});
  time_layer<LstmCell, 2, 2>("lstm_both", {512, 10, 2, 256});
  time_layer<LstmCell, 2, 2>("lstm_16", {512, 16, 1, 256});
  time_layer<LstmCell, 2, 1>("lstm_128", {128, 32, 1, 128});
  time_layer<RnnTanhCell, 2, 2>("rnn", {512, 10, 1, 256});
  time_layer<RnnTanhCell, 4, 4>("rnn_512", {512, 10, 1, 512});
  return 0;
}
