// SPDX-License-Identifier: Apache-2.0
// Times normalisations of very long rows: group norms with a weight and a bias for each channel and what follows, and
// rows from which their mean is taken.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include
//   bench/kernels/long_rows_bench.cu
#include "harness.cuh"
#include "kernels/common.cuh"
#include "kernels/norm/layer_norm_cluster.cuh"
#include "kernels/norm/layer_norm_shared.cuh"
#include "kernels/random/numbers.cuh"
#include "kernels/reduce/rewrite_cluster.cuh"
#include "kernels/reduce/rewrite_held.cuh"

namespace {

using namespace stitch;
using namespace stitch_bench;

constexpr double kErrorLimit = 5e-5;
constexpr float kEpsilon = 1e-5f;

struct Load {
  const float* x;
  int64_t stride;
  template <int kLanes>
  __device__ Lanes<float, kLanes> lanes(int64_t row, int64_t column) const {
    return load_float_lanes<kLanes>(x + row * stride + column);
  }
  __device__ float operator()(int64_t row, int64_t column) const { return lanes<1>(row, column)[0]; }
};

struct HardSwish {
  __device__ float operator()(float value, int64_t) const { return hardswish(value); }
};
struct Scale {
  __device__ float operator()(float value, int64_t) const { return value * 1.25f; }
};
struct ClampDropout {
  RandomNumbers numbers;
  __device__ float operator()(float value, int64_t place) const {
    const float kept = numbers.uniform(place) < 0.8f ? 1.0f : 0.0f;
    return clamp(minimum(value, 0.5f), 0.0f, 1.0f) * (kept * 1.25f);
  }
};

// As emitted: groups are rows, channels of a group follow each other.
template <typename Then>
struct Store {
  const float* weight;
  const float* bias;
  float* y;
  int64_t channels_of_group;
  int64_t sample_stride;
  int64_t row_stride;
  Divider groups;
  Divider pixels;
  Then then;

  template <int kLanes>
  __device__ void lanes(int64_t row, int64_t column, const Lanes<float, kLanes>& values) const {
    const QuotientRemainder row_split = groups.divide(row);
    const QuotientRemainder column_split = pixels.divide(column);
    const float scale = weight[row_split.remainder * channels_of_group + column_split.quotient];
    const float shift = bias[row_split.remainder * channels_of_group + column_split.quotient];
    const int64_t place = row_split.quotient * sample_stride + row_split.remainder * row_stride +
                          column_split.quotient * pixels.divisor() + column_split.remainder;
    Lanes<float, kLanes> results;
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      results[lane] = then(values[lane] * scale + shift, place + lane);
    }
    store_float_lanes(y + place, results);
  }
  __device__ void operator()(int64_t row, int64_t column, float value) const { lanes<1>(row, column, {value}); }
};

struct StoreCentred {
  float* y;
  int64_t stride;
  float count;
  template <int kLanes>
  __device__ void lanes(int64_t row, int64_t column, const Lanes<SumAccumulator, kLanes>& totals,
                        const Lanes<float, kLanes>& values) const {
    Lanes<float, kLanes> results;
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      results[lane] = values[lane] - totals[lane].sum / count;
    }
    store_float_lanes(y + row * stride + column, results);
  }
  __device__ void operator()(int64_t row, int64_t column, const SumAccumulator& total, float value) const {
    lanes<1>(row, column, {total}, {value});
  }
};

// The largest difference of a row from the plain loop in double precision: want(mean, deviation, row, column).
template <typename Want>
__global__ void compare_kernel(const float* x, const float* y, int64_t columns, Want want, float* worst) {
  __shared__ double sums[512];
  const int64_t row = static_cast<int64_t>(blockIdx.x) * 61 % gridDim.x;
  const auto total = [&](auto term) {
    double sum = 0.0;
    for (int64_t column = threadIdx.x; column < columns; column += 512) {
      sum += term(column);
    }
    __syncthreads();
    sums[threadIdx.x] = sum;
    __syncthreads();
    sum = 0.0;
    for (int thread = 0; thread < 512; ++thread) {
      sum += sums[thread];
    }
    return sum;
  };
  const float* from = x + row * columns;
  const double mean = total([&](int64_t column) { return static_cast<double>(from[column]); }) / columns;
  const double squares = total([&](int64_t column) { return (from[column] - mean) * (from[column] - mean); });
  const double scale = 1.0 / sqrt(squares / columns + kEpsilon);
  double largest = 0.0;
  total([&](int64_t column) {
    const double difference = fabs(want(from[column] - mean, scale, row, column) - y[row * columns + column]);
    largest = difference <= largest ? largest : difference;
    return 0.0;
  });
  atomicMax(reinterpret_cast<unsigned*>(worst), __float_as_uint(static_cast<float>(largest)));
}

template <typename Then>
struct WantNorm {
  Store<Then> store;
  __device__ double operator()(double centred, double scale, int64_t row, int64_t column) const {
    const int64_t channel = row % store.groups.divisor() * store.channels_of_group + column / store.pixels.divisor();
    return store.then(static_cast<float>(centred * scale * store.weight[channel] + store.bias[channel]),
                      row * store.row_stride + column);
  }
};
struct WantCentred {
  __device__ double operator()(double centred, double, int64_t, int64_t) const { return centred; }
};

struct Problem {
  int64_t rows;
  int64_t columns;
  Buffer x;
  Buffer y;
  Buffer scratch;
  Buffer worst;

  Problem(int64_t row_count, int64_t column_count)
      : rows(row_count),
        columns(column_count),
        x(rows * columns, 1),
        y(rows * columns, 2),
        scratch(1 << 22, 3),
        worst(1, 4) {}

  template <typename Want, typename Launch>
  void time(const char* kernel, const std::string& setting, const Want& want, const Launch& launch) {
    cudaMemset(y.data(), 0xff, static_cast<std::size_t>(y.count()) * sizeof(float));
    const double elapsed_us = cold_us(launch);
    cudaMemset(worst.data(), 0, sizeof(float));
    compare_kernel<<<static_cast<unsigned>(rows), 512>>>(x.data(), y.data(), columns, want, worst.data());
    print_row(kernel, std::to_string(rows) + " x " + std::to_string(columns), setting.c_str(), elapsed_us,
              2e-3 * static_cast<double>(x.count()) * sizeof(float) / elapsed_us, worst.values()[0], kErrorLimit);
  }

  void copy() {
    const double elapsed_us = cold_us([&] {
      return cudaMemcpyAsync(y.data(), x.data(), static_cast<std::size_t>(x.count()) * sizeof(float),
                             cudaMemcpyDeviceToDevice, nullptr);
    });
    print_row("copy", std::to_string(rows) + " x " + std::to_string(columns), "cudaMemcpyAsync", elapsed_us,
              2e-3 * static_cast<double>(x.count()) * sizeof(float) / elapsed_us, 0.0, 0.0);
  }
};

constexpr int64_t kMostShared = 227 * 1024;

template <int kThreads, typename Launch>
void cluster_settings(const Problem& problem, const Launch& launch) {
  for (const int64_t blocks : {2, 4, 8}) {
    if (cluster_rows_bytes(problem.columns, blocks) <= kMostShared - 1024) {
      launch(blocks, "cluster_" + std::to_string(kThreads) + ":" + std::to_string(blocks));
    }
  }
}

template <typename Then>
void group_norm(int64_t samples, int64_t groups, int64_t channels, int64_t pixels, const Then& then) {
  Problem problem(samples * groups, channels * pixels);
  const Buffer weight(2 * groups * channels, 5);
  const int64_t columns = problem.columns;
  const Load load{problem.x.data(), columns};
  const Store<Then> store{weight.data(),
                          weight.data() + groups * channels,
                          problem.y.data(),
                          channels,
                          groups * columns,
                          columns,
                          Divider(groups),
                          Divider(pixels),
                          then};
  const bool stores = pixels % 4 == 0;
  const bool loads = columns % 4 == 0;
  const RowShape shape{problem.rows, columns, stores};
  const WantNorm<Then> want{store};
  problem.copy();
  const auto time = [&](const std::string& setting, const auto& launch) {
    problem.time("group_norm", setting, want, launch);
  };
  time("row_512x8", [&] { return launch_layer_norm<512, 8>(load, store, shape, kEpsilon, nullptr); });
  time("row_512x32", [&] { return launch_layer_norm<512, 32>(load, store, shape, kEpsilon, nullptr); });
  for (const int64_t parts : {16, 32, 64}) {
    time("shared:" + std::to_string(parts), [&] {
      return launch_layer_norm_shared(load, store, shape, kEpsilon, parts, problem.scratch.data(), nullptr);
    });
  }
  time("held_256x32",
       [&] { return launch_layer_norm_held<256, 32>(load, store, shape, kEpsilon, problem.scratch.data(), nullptr); });
  const auto cluster = [&]<int kThreads>() {
    cluster_settings<kThreads>(problem, [&](int64_t blocks, const std::string& setting) {
      const ClusterRowShape in_clusters{problem.rows, columns, loads, stores, blocks};
      time(setting, [&] { return launch_layer_norm_cluster<kThreads>(load, store, in_clusters, kEpsilon, nullptr); });
    });
  };
  cluster.template operator()<256>();
  cluster.template operator()<512>();
}

void centred(int64_t rows, int64_t columns) {
  Problem problem(rows, columns);
  const Load load{problem.x.data(), columns};
  const StoreCentred store{problem.y.data(), columns, static_cast<float>(columns)};
  const bool lanes = columns % 4 == 0;
  const RowShape shape{rows, columns, lanes};
  problem.copy();
  const auto time = [&](const std::string& setting, const auto& launch) {
    problem.time("centred", setting, WantCentred{}, launch);
  };
  time("row_512x8",
       [&] { return launch_rewrite_rows<SumAccumulator, 512, 8>(load, OwnTerm{}, store, shape, nullptr); });
  time("row_512x32",
       [&] { return launch_rewrite_rows<SumAccumulator, 512, 32>(load, OwnTerm{}, store, shape, nullptr); });
  time("held_256x32", [&] {
    return launch_rewrite_held<SumAccumulator, 256, 32>(load, OwnTerm{}, store, shape, problem.scratch.data(), nullptr);
  });
  const auto cluster = [&]<int kThreads>() {
    cluster_settings<kThreads>(problem, [&](int64_t blocks, const std::string& setting) {
      const ClusterRowShape in_clusters{rows, columns, lanes, lanes, blocks};
      time(setting, [&] {
        return launch_rewrite_cluster<SumAccumulator, kThreads>(load, OwnTerm{}, store, in_clusters, nullptr);
      });
    });
  };
  cluster.template operator()<256>();
  cluster.template operator()<512>();
}

}  // namespace

int main() {
  print_header("GB/s");
  group_norm(128, 4, 4, 123039, HardSwish{});
  group_norm(128, 8, 2, 53816, ClampDropout{RandomNumbers{nullptr, 7, 0, 3}});
  group_norm(128, 16, 4, 15876, Scale{});
  centred(512, 123039);
  return 0;
}
