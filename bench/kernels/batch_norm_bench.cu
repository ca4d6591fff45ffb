// SPDX-License-Identifier: Apache-2.0
// Times batch norms in training mode with what follows them, y = relu((x - mean) * scale + bias + residual), and their
// running statistics: a reduction and a pointwise step, or one step that keeps the elements meanwhile.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include
//   bench/kernels/batch_norm_bench.cu
#include "harness.cuh"
#include "kernels/common.cuh"
#include "kernels/pointwise/map.cuh"
#include "kernels/reduce/rewrite_cluster.cuh"
#include "kernels/reduce/rewrite_held.cuh"
#include "kernels/reduce/rewrite_rows.cuh"
#include "kernels/reduce/split.cuh"

namespace {

using namespace stitch;
using namespace stitch_bench;

constexpr double kErrorLimit = 2e-5;
constexpr float kEpsilon = 1e-5f;
constexpr float kMomentum = 0.1f;

struct Size {
  int64_t batch;
  int64_t channels;
  int64_t pixels;
  __host__ __device__ int64_t count() const { return batch * channels * pixels; }
  __host__ __device__ int64_t row() const { return batch * pixels; }
};

// The places of a channel's elements, counted over samples and pixels.
struct Places {
  int64_t sample_stride;
  Divider pixels;
  __device__ int64_t of(int64_t channel, int64_t column) const {
    const QuotientRemainder split = pixels.divide(column);
    return channel * pixels.divisor() + split.quotient * sample_stride + split.remainder;
  }
};

struct Load {
  const float* x;
  Places places;
  __device__ float operator()(int64_t row, int64_t column) const { return x[places.of(row, column)]; }
  template <int kLanes>
  __device__ Lanes<float, kLanes> lanes(int64_t row, int64_t column) const {
    return load_float_lanes<kLanes>(x + places.of(row, column));
  }
};

struct Own {
  __device__ float operator()(int64_t, int64_t, float value) const { return value; }
};

struct Channels {
  const float* weight;
  const float* bias;
  float* running_mean;
  float* running_variance;
  float* mean;
  float* scale;

  __device__ float scale_of(int64_t row, const WelfordAccumulator& total) const {
    return reciprocal_square_root(total.variance(0.0f) + kEpsilon) * weight[row];
  }
  __device__ void update(int64_t row, const WelfordAccumulator& total) const {
    running_mean[row] = running_mean[row] * (1.0f - kMomentum) + total.mean * kMomentum;
    running_variance[row] = running_variance[row] * (1.0f - kMomentum) + total.variance(1.0f) * kMomentum;
  }
};

struct StoreStatistics {
  Channels channels;
  __device__ void operator()(int64_t row, const WelfordAccumulator& total) const {
    channels.update(row, total);
    channels.mean[row] = total.mean;
    channels.scale[row] = channels.scale_of(row, total);
  }
};

struct UpdateRunning {
  Channels channels;
  __device__ void prefetch(int64_t row) const {
    ptx::prefetch(channels.running_mean + row);
    ptx::prefetch(channels.running_variance + row);
  }
  __device__ void operator()(int64_t row, const WelfordAccumulator& total) const { channels.update(row, total); }
};

struct StoreNormalised {
  Channels channels;
  const float* residual;  // or null
  float* y;
  Places places;

  __device__ void prefetch(int64_t row) const {
    ptx::prefetch(channels.weight + row);
    ptx::prefetch(channels.bias + row);
  }
  template <int kLanes>
  __device__ void lanes(int64_t row, int64_t column, const Lanes<WelfordAccumulator, kLanes>& totals,
                        const Lanes<float, kLanes>& values) const {
    const int64_t at = places.of(row, column);
    const float shift = channels.bias[row];
    Lanes<float, kLanes> added{};
    if (residual != nullptr) {
      added = load_float_lanes<kLanes>(residual + at);
    }
    Lanes<float, kLanes> results;
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      const float scale = channels.scale_of(row, totals[lane]);
      results[lane] = relu((values[lane] - totals[lane].mean) * scale + shift + added[lane]);
    }
    store_float_lanes(y + at, results);
  }
  __device__ void operator()(int64_t row, int64_t column, const WelfordAccumulator& total, float value) const {
    lanes<1>(row, column, {total}, {value});
  }
};

// (sample, channel, pixel)
struct Normalise {
  Channels channels;
  const float* x;
  const float* residual;
  float* y;
  int64_t sample_stride;
  int64_t pixels;
  template <int kLanes>
  __device__ void apply(const Index<3>& at) const {
    const int64_t place = at[0] * sample_stride + at[1] * pixels + at[2];
    Lanes<float, kLanes> values = load_float_lanes<kLanes>(x + place);
    Lanes<float, kLanes> added{};
    if (residual != nullptr) {
      added = load_float_lanes<kLanes>(residual + place);
    }
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      values[lane] =
          relu((values[lane] - channels.mean[at[1]]) * channels.scale[at[1]] + channels.bias[at[1]] + added[lane]);
    }
    store_float_lanes(y + place, values);
  }
};

// The plain loop: one block a channel, in double precision; the largest difference from `y`.
__global__ void compare_kernel(Normalise made, Size size, float* worst) {
  __shared__ double sums[256];
  const int64_t channel = blockIdx.x;
  const auto total = [&](auto term) {
    double sum = 0.0;
    for (int64_t column = threadIdx.x; column < size.row(); column += 256) {
      sum += term(column / size.pixels * made.sample_stride + channel * size.pixels + column % size.pixels);
    }
    __syncthreads();
    sums[threadIdx.x] = sum;
    __syncthreads();
    sum = 0.0;
    for (int thread = 0; thread < 256; ++thread) {
      sum += sums[thread];
    }
    return sum;
  };
  const double mean = total([&](int64_t at) { return static_cast<double>(made.x[at]); }) / size.row();
  const double variance = total([&](int64_t at) { return (made.x[at] - mean) * (made.x[at] - mean); }) / size.row();
  const double scale = made.channels.weight[channel] / sqrt(variance + kEpsilon);
  double largest = 0.0;
  total([&](int64_t at) {
    double want = (made.x[at] - mean) * scale + made.channels.bias[channel] + (made.residual ? made.residual[at] : 0.f);
    want = want < 0.0 ? 0.0 : want;
    const double difference = fabs(want - made.y[at]);
    largest = difference <= largest ? largest : difference;  // NaN too
    return 0.0;
  });
  atomicMax(reinterpret_cast<unsigned*>(worst), __float_as_uint(static_cast<float>(largest)));
}

class Shape {
 public:
  Shape(const Size& size, bool has_residual)
      : size_(size),
        has_residual_(has_residual),
        x_(size.count(), 1),
        residual_(has_residual ? size.count() : 1, 2),
        y_(size.count(), 3),
        channels_(6 * size.channels, 4),
        scratch_(1 << 20, 5),
        worst_(1, 6) {}

  void run() {
    two_steps<256>("rows_256");
    two_steps<1024>("rows_1024");
    if (size_.row() > 8192) {
      const int64_t wave = 132 * 6 / size_.channels;
      for (const int64_t splits : {int64_t{4}, int64_t{16}, wave}) {
        if (splits > 1) {
          split_steps(splits);
        }
      }
    }
    rows<32, 16>("row_32x16");
    rows<128, 8>("row_128x8");
    rows<256, 8>("row_256x8");
    rows<512, 8>("row_512x8");
    rows<1024, 8>("row_1024x8");
    rows<512, 32>("row_512x32");
    rows<1024, 16>("row_1024x16");
    held<256, 32>("held_256x32");
    cluster<256>();
    cluster<512>();
  }

 private:
  Channels channels() const {
    float* const first = channels_.data();
    return {first,
            first + size_.channels,
            first + 2 * size_.channels,
            first + 3 * size_.channels,
            first + 4 * size_.channels,
            first + 5 * size_.channels};
  }
  const float* residual() const { return has_residual_ ? residual_.data() : nullptr; }
  Places places() const { return {size_.channels * size_.pixels, Divider(size_.pixels)}; }
  Load load() const { return {x_.data(), places()}; }
  Normalise normalise() const {
    return {channels(), x_.data(), residual(), y_.data(), size_.channels * size_.pixels, size_.pixels};
  }
  auto store() const {
    return StoreBesides{StoreNormalised{channels(), residual(), y_.data(), places()}, UpdateRunning{channels()}};
  }
  bool vectorised() const { return size_.pixels % 4 == 0; }

  template <typename Launch>
  void time(const std::string& setting, const Launch& launch) {
    cudaMemset(y_.data(), 0xff, static_cast<std::size_t>(y_.count()) * sizeof(float));
    const double elapsed_us = cold_us(launch);
    const double warm_us = median_us(launch);
    cudaMemset(worst_.data(), 0, sizeof(float));
    compare_kernel<<<static_cast<unsigned>(size_.channels), 256>>>(normalise(), size_, worst_.data());
    const std::string text = std::to_string(size_.batch) + " x " + std::to_string(size_.channels) + " x " +
                             std::to_string(size_.pixels) + (has_residual_ ? " + residual" : "");
    const double bytes = (has_residual_ ? 3.0 : 2.0) * static_cast<double>(size_.count()) * sizeof(float);
    const std::string name = setting + (", warm " + std::to_string(warm_us).substr(0, 6));
    print_row("batch_norm", text, name.c_str(), elapsed_us, bytes / elapsed_us * 1e-3, worst_.values()[0], kErrorLimit);
  }

  cudaError_t map() const {
    return launch_map<3>(normalise(), MapShape<3>{{size_.batch, size_.channels, size_.pixels}, vectorised()}, nullptr);
  }

  template <int kThreads>
  void two_steps(const std::string& name) {
    const ReduceShape shape{size_.channels, size_.row(), vectorised()};
    time(name + " + pointwise", [&] {
      require(launch_reduce_rows<WelfordAccumulator, kThreads>(load(), StoreStatistics{channels()}, shape, nullptr),
              "reduce");
      return map();
    });
  }

  void split_steps(int64_t splits) {
    const ReduceShape shape{size_.channels, size_.row(), vectorised()};
    time("split_256:" + std::to_string(splits) + " + pointwise", [&] {
      require(launch_reduce_rows_split<WelfordAccumulator, 256>(load(), StoreStatistics{channels()}, shape, splits,
                                                                scratch_.data(), nullptr),
              "reduce");
      return map();
    });
  }

  template <int kThreads, int kPerThread>
  void rows(const char* name) {
    if (size_.row() > 32 * kThreads * kPerThread) {
      return;
    }
    const RowShape shape{size_.channels, size_.row(), vectorised()};
    time(name, [&] {
      return launch_rewrite_rows<WelfordAccumulator, kThreads, kPerThread>(load(), Own{}, store(), shape, nullptr);
    });
  }

  template <int kThreads, int kPerThread>
  void held(const char* name) {
    if (size_.row() <= 4096) {
      return;
    }
    const RowShape shape{size_.channels, size_.row(), vectorised()};
    time(name, [&] {
      return launch_rewrite_held<WelfordAccumulator, kThreads, kPerThread>(load(), Own{}, store(), shape,
                                                                           scratch_.data(), nullptr);
    });
  }

  template <int kThreads>
  void cluster() {
    for (const int64_t blocks : {2, 4, 8}) {
      if (size_.row() / blocks < kThreads || cluster_rows_bytes(size_.row(), blocks) > kMostShared) {
        continue;
      }
      const ClusterRowShape shape{size_.channels, size_.row(), vectorised(), vectorised(), blocks};
      time("cluster_" + std::to_string(kThreads) + ":" + std::to_string(blocks), [&] {
        return launch_rewrite_cluster<WelfordAccumulator, kThreads>(load(), Own{}, store(), shape, nullptr);
      });
    }
  }

  static constexpr int64_t kMostShared = 226 * 1024;
  Size size_;
  bool has_residual_;
  Buffer x_;
  Buffer residual_;
  Buffer y_;
  Buffer channels_;
  Buffer scratch_;
  Buffer worst_;
};

}  // namespace

int main() {
  print_header("GB/s");
  for (const Size& size :
       {Size{2, 64, 56 * 56}, Size{2, 128, 28 * 28}, Size{2, 512, 7 * 7}, Size{10, 256, 14 * 14}, Size{10, 1152, 7 * 7},
        Size{10, 32, 112 * 112}, Size{10, 96, 112 * 112}, Size{64, 256, 56 * 56}}) {
    Shape(size, false).run();
  }
  Shape({2, 64, 56 * 56}, true).run();
  Shape({10, 256, 14 * 14}, true).run();
  return 0;
}
