// SPDX-License-Identifier: Apache-2.0
// Times the memory-bound skeletons: pointwise map, reductions, layer norm, softmax. GB/s count each tensor once.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include
//   bench/kernels/memory_bench.cu
#include <cmath>

#include "harness.cuh"
#include "kernels/norm/layer_norm.cuh"
#include "kernels/pointwise/map.cuh"
#include "kernels/reduce/split.cuh"
#include "kernels/softmax/row.cuh"

namespace {

using namespace stitch;
using namespace stitch_bench;

constexpr double kErrorLimit = 1e-4;

struct Load {
  const float* x;
  int64_t columns;
  __device__ float operator()(int64_t row, int64_t column) const { return x[row * columns + column]; }
  template <int kLanes>
  __device__ Lanes<float, kLanes> lanes(int64_t row, int64_t column) const {
    return load_lanes<kLanes>(x + row * columns + column);
  }
};

struct Store {
  float* y;
  int64_t columns;
  __device__ void operator()(int64_t row, int64_t column, float value) const { y[row * columns + column] = value; }
  template <int kLanes>
  __device__ void lanes(int64_t row, int64_t column, const Lanes<float, kLanes>& values) const {
    store_lanes(y + row * columns + column, values);
  }
};

template <typename Accumulator>
struct StoreTotal {
  float* y;
  __device__ void operator()(int64_t kept, const SumAccumulator& total) const { y[kept] = total.sum; }
  __device__ void operator()(int64_t kept, const WelfordAccumulator& total) const { y[kept] = total.variance(0.0f); }
};

// NCHW as (channel, (n, pixel)): batch-norm statistics.
struct LoadChannel {
  const float* x;
  int64_t channels;
  Divider pixels;
  __device__ int64_t place(int64_t channel, int64_t reduced) const {
    const QuotientRemainder split = pixels.divide(reduced);
    return (split.quotient * channels + channel) * pixels.divisor() + split.remainder;
  }
  __device__ float operator()(int64_t channel, int64_t reduced) const { return x[place(channel, reduced)]; }
  template <int kLanes>
  __device__ Lanes<float, kLanes> lanes(int64_t channel, int64_t reduced) const {
    return load_lanes<kLanes>(x + place(channel, reduced));
  }
};

struct LoadColumn {
  const float* x;
  int64_t columns;
  __device__ float operator()(int64_t row, int64_t column) const { return x[row * columns + column]; }
  template <int kLanes>
  __device__ Lanes<float, kLanes> lanes(int64_t row, int64_t column) const {
    return load_lanes<kLanes>(x + row * columns + column);
  }
};

struct AddGelu {
  const float* x;
  const float* bias;
  float* y;
  int64_t columns;
  template <int kLanes>
  __device__ void apply(const Index<2>& at) const {
    Lanes<float, kLanes> values = load_lanes<kLanes>(x + at[0] * columns + at[1]);
    const Lanes<float, kLanes> shift = load_lanes<kLanes>(bias + at[1]);
    for (int lane = 0; lane < kLanes; ++lane) {
      values[lane] = gelu(values[lane] + shift[lane]);
    }
    store_lanes(y + at[0] * columns + at[1], values);
  }
};

enum class What { kLayerNorm, kSoftmax };

// The error of a few rows against double precision.
double rows_error(What what, const Buffer& x, const Buffer& y, int64_t columns) {
  constexpr int64_t kRows = 8;
  std::vector<float> in(static_cast<std::size_t>(kRows * columns));
  std::vector<float> out(in.size());
  cudaMemcpy(in.data(), x.data(), in.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(out.data(), y.data(), out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  std::vector<double> want;
  for (int64_t row = 0; row < kRows; ++row) {
    const float* values = in.data() + row * columns;
    double mean = 0.0;
    double squares = 0.0;
    double exponentials = 0.0;
    for (int64_t column = 0; column < columns; ++column) {
      mean += values[column] / static_cast<double>(columns);
      exponentials += std::exp(static_cast<double>(values[column]));
    }
    for (int64_t column = 0; column < columns; ++column) {
      squares += (values[column] - mean) * (values[column] - mean) / static_cast<double>(columns);
    }
    for (int64_t column = 0; column < columns; ++column) {
      want.push_back(what == What::kLayerNorm ? (values[column] - mean) / std::sqrt(squares + 1e-5)
                                              : std::exp(static_cast<double>(values[column])) / exponentials);
    }
  }
  return relative_error({out.begin(), out.end()}, want);
}

std::string size_of(int64_t rows, int64_t columns) { return std::to_string(rows) + " x " + std::to_string(columns); }

template <int kThreads, int kPerThread>
void rows(int64_t row_count, int64_t columns, const char* setting) {
  const Buffer x(row_count * columns, 1);
  const Buffer y(row_count * columns, 2);
  const double gigabytes = 2.0 * static_cast<double>(row_count * columns) * 4.0 / 1e9;
  const RowShape shape{row_count, columns, columns % 4 == 0};
  const Load load{x.data(), columns};
  const Store store{y.data(), columns};
  double elapsed_us =
      median_us([&] { return launch_layer_norm<kThreads, kPerThread>(load, store, shape, 1e-5f, nullptr); });
  print_row("layer_norm", size_of(row_count, columns), setting, elapsed_us, gigabytes / elapsed_us * 1e6,
            rows_error(What::kLayerNorm, x, y, columns), kErrorLimit);
  elapsed_us = median_us(
      [&] { return launch_softmax<SoftmaxKind::kSoftmax, kThreads, kPerThread>(load, store, shape, nullptr); });
  print_row("softmax", size_of(row_count, columns), setting, elapsed_us, gigabytes / elapsed_us * 1e6,
            rows_error(What::kSoftmax, x, y, columns), kErrorLimit);
}

void map_and_copy() {
  constexpr int64_t kRows = 16384;
  constexpr int64_t kColumns = 4096;
  const Buffer x(kRows * kColumns, 1);
  const Buffer bias(kColumns, 3);
  const Buffer y(kRows * kColumns, 2);
  const double gigabytes = 2.0 * static_cast<double>(kRows * kColumns) * 4.0 / 1e9;
  const double copy_us = median_us([&] {
    return cudaMemcpyAsync(y.data(), x.data(), static_cast<std::size_t>(x.count()) * sizeof(float),
                           cudaMemcpyDeviceToDevice, nullptr);
  });
  print_row("copy", size_of(kRows, kColumns), "cudaMemcpyAsync", copy_us, gigabytes / copy_us * 1e6, 0.0, 0.0);
  const double elapsed_us = median_us([&] {
    return launch_map<2>(AddGelu{x.data(), bias.data(), y.data(), kColumns}, MapShape<2>{{kRows, kColumns}, true},
                         nullptr);
  });
  std::vector<double> want;
  std::vector<double> got;
  const std::vector<float> in = x.values();
  const std::vector<float> out = y.values();
  const std::vector<float> shift = bias.values();
  for (std::size_t index = 0; index < in.size(); index += 10007) {
    const double value = static_cast<double>(in[index]) + shift[index % kColumns];
    want.push_back(0.5 * value * (1.0 + std::erf(value / std::sqrt(2.0))));
    got.push_back(out[index]);
  }
  print_row("bias+gelu", size_of(kRows, kColumns), "4 lanes", elapsed_us, gigabytes / elapsed_us * 1e6,
            relative_error(got, want), kErrorLimit);
}

// Variance of each channel of 64 x 256 x 56 x 56, and sums of columns.
void reductions() {
  constexpr int64_t kBatch = 64;
  constexpr int64_t kChannels = 256;
  constexpr int64_t kPixels = 56 * 56;
  const Buffer x(kBatch * kChannels * kPixels, 1);
  const Buffer y(1 << 20, 2);
  const Buffer scratch(1 << 20, 3);
  const double gigabytes = static_cast<double>(x.count()) * 4.0 / 1e9;
  const LoadChannel load{x.data(), kChannels, Divider(kPixels)};
  const ReduceShape shape{kChannels, kBatch * kPixels, true};
  const StoreTotal<WelfordAccumulator> store{y.data()};
  for (const int64_t splits : {4, 16, 64}) {
    const double elapsed_us = median_us([&] {
      return launch_reduce_rows_split<WelfordAccumulator>(load, store, shape, splits, scratch.data(), nullptr);
    });
    const double variance = y.values()[0];  // of a uniform distribution over [-1, 1): 1/3
    print_row("welford", "64 x 256 x 3136", ("split " + std::to_string(splits)).c_str(), elapsed_us,
              gigabytes / elapsed_us * 1e6, std::abs(variance * 3.0 - 1.0), 2e-2);
  }
  const ReduceShape columns{4096, x.count() / 4096, true};
  for (const int64_t splits : {1, 8, 32}) {
    const double elapsed_us = median_us([&] {
      return launch_reduce_columns_split<SumAccumulator>(
          LoadColumn{x.data(), 4096}, StoreTotal<SumAccumulator>{y.data()}, columns, splits, scratch.data(), nullptr);
    });
    print_row("column sum", size_of(columns.reduced, columns.kept), ("split " + std::to_string(splits)).c_str(),
              elapsed_us, gigabytes / elapsed_us * 1e6, 0.0, 0.0);
  }
  const ReduceShape long_rows{x.count() / 4096, 4096, true};
  const double elapsed_us = median_us([&] {
    return launch_reduce_rows<SumAccumulator, 256>(Load{x.data(), 4096}, StoreTotal<SumAccumulator>{y.data()},
                                                   long_rows, nullptr);
  });
  print_row("row sum", size_of(long_rows.kept, 4096), "256 threads", elapsed_us, gigabytes / elapsed_us * 1e6, 0.0,
            0.0);
}

}  // namespace

int main() {
  print_header("GB/s");
  map_and_copy();
  reductions();
  rows<32, 16>(262144, 512, "32 threads x 16");
  rows<32, 32>(131072, 1024, "32 threads x 32");
  rows<128, 8>(131072, 1024, "128 threads x 8");
  rows<128, 32>(32768, 4096, "128 threads x 32");
  rows<256, 16>(32768, 4096, "256 threads x 16");
  rows<512, 8>(32768, 4096, "512 threads x 8");
  rows<1024, 16>(8192, 16384, "1024 threads x 16");
  rows<512, 8>(4096, 32000, "512 threads x 8, streamed");
  rows<256, 16>(32768, 4095, "256 threads x 16, ragged");
  return 0;
}
