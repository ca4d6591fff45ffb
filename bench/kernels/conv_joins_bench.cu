// SPDX-License-Identifier: Apache-2.0
// Times convolutions of few channels whose outputs are pooled, or reduced over an axis, where they are computed, with a
// softmax over channels before or behind, in patches of several extents; and the convolution that stores its outputs
// beside them, all with cold caches. A sample of what is left is compared with double precision: `error` is the largest
// difference, relative to the largest of the sample.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include
//        bench/kernels/conv_joins_bench.cu
// Arguments: names of layers, all without any. The process ends after twenty seconds whatever happens.
#include <unistd.h>

#include <cstring>
#include <type_traits>

#include "harness.cuh"
#include "kernels/common/math.cuh"
#include "kernels/conv/direct_fp16_pool.cuh"
#include "kernels/conv/direct_pool.cuh"
#include "kernels/conv/direct_rows_mean.cuh"
#include "kernels/conv/direct_rows_pool.cuh"
#include "kernels/conv/direct_wgmma_pool.cuh"

namespace {

using namespace stitch;
using namespace stitch_bench;

constexpr unsigned kMostSeconds = 20;
constexpr int kSampled = 512;
constexpr int kMostChannels = 64;

struct AddBias {
  const float* bias;

  __device__ float operator()(int64_t, int64_t channel, int64_t, int64_t, int64_t, float sum) const {
    return sum + __ldg(bias + channel);
  }
  __device__ float operator()(int64_t n, int64_t channel, int64_t y, int64_t x, float sum) const {
    return (*this)(n, channel, 0, y, x, sum);
  }
};

struct Same {
  template <typename... Place>
  __device__ float operator()(int64_t, int64_t, int64_t, int64_t, Place... rest) const {
    const float all[] = {static_cast<float>(rest)...};
    return all[sizeof...(rest) - 1];
  }
};

struct StorePooled {
  float* y;
  int64_t channels;
  int64_t depth;
  int64_t height;
  int64_t width;

  __device__ void operator()(int64_t n, int64_t channel, int64_t z, int64_t out_y, int64_t out_x, float value) const {
    y[(((n * channels + channel) * depth + z) * height + out_y) * width + out_x] = value;
  }
  __device__ void operator()(int64_t n, int64_t channel, int64_t out_y, int64_t out_x, float value) const {
    (*this)(n, channel, 0, out_y, out_x, value);
  }
};

template <typename Join>
__device__ double join_doubles(double a, double b) {
  if (std::is_same_v<Join, MeanOfWindow>) {
    return a + b;
  }
  return std::is_same_v<Join, SmallestOfWindow> == (a < b) ? a : b;
}

__device__ void soften(double* values, int count) {
  double largest = values[0];
  for (int i = 1; i < count; ++i) {
    largest = max(largest, values[i]);
  }
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    values[i] = exp(values[i] - largest);
    sum += values[i];
  }
  for (int i = 0; i < count; ++i) {
    values[i] /= sum;
  }
}

// A thread has all channels of one window.
template <typename Window, typename Pool, typename Join, bool kBefore, bool kBehind>
__global__ void check_kernel(ConvShape s, const float* x, const float* weight, const float* bias, StorePooled got,
                             double* differences, double* sizes) {
  const auto sample = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int64_t windows = s.batch * got.depth * got.height * got.width;
  const auto place = static_cast<int64_t>(sample * 11400714819323198485ull % static_cast<uint64_t>(windows));
  const int64_t px = place % got.width;
  const int64_t py = place / got.width % got.height;
  const int64_t pz = place / got.width / got.height % got.depth;
  const int64_t n = place / got.width / got.height / got.depth;
  const auto channels = static_cast<int>(s.out_channels);
  double joined[kMostChannels];
  for (int element = 0; element < Pool::depth * Pool::height * Pool::width; ++element) {
    const int64_t out_x = px * Pool::width + element % Pool::width;
    const int64_t out_y = py * Pool::height + element / Pool::width % Pool::height;
    const int64_t out_z = pz * Pool::depth + element / Pool::width / Pool::height;
    double values[kMostChannels];
    for (int channel = 0; channel < channels; ++channel) {
      double sum = bias[channel];
      for (int64_t k = 0; k < s.in_channels * Window::taps; ++k) {
        const auto tap = static_cast<int>(k % Window::taps);
        const int64_t z = out_z * Window::stride_z - Window::padding_z + tap / Window::kernel_x / Window::kernel_y;
        const int64_t y = out_y * Window::stride_y - Window::padding_y + tap / Window::kernel_x % Window::kernel_y;
        const int64_t at_x = out_x * Window::stride_x - Window::padding_x + tap % Window::kernel_x;
        if (z >= 0 && z < s.depth && y >= 0 && y < s.height && at_x >= 0 && at_x < s.width) {
          const int64_t plane = n * s.in_channels + k / Window::taps;
          sum += static_cast<double>(x[((plane * s.depth + z) * s.height + y) * s.width + at_x]) *
                 weight[channel * s.in_channels * Window::taps + k];
        }
      }
      values[channel] = sum;
    }
    if (kBefore) {
      soften(values, channels);
    }
    for (int channel = 0; channel < channels; ++channel) {
      joined[channel] = element == 0 ? values[channel] : join_doubles<Join>(joined[channel], values[channel]);
    }
  }
  if (kBehind) {
    soften(joined, channels);
  }
  double difference = 0;
  double size = 0;
  for (int channel = 0; channel < channels; ++channel) {
    const float own = got.y[(((n * channels + channel) * got.depth + pz) * got.height + py) * got.width + px];
    const double off = fabs(own - joined[channel]);
    difference = max(difference, off == off ? off : 1e30);
    size = max(size, fabs(joined[channel]));
  }
  differences[sample] = difference;
  sizes[sample] = size;
}

template <typename Window, typename Pool, typename Join, bool kBefore, bool kBehind>
struct Layer {
  static constexpr bool is_reduced = Pool::depth > 8;  // over its depth
  const char* name;
  ConvShape shape;
  Buffer x;
  Buffer weight;
  Buffer bias;
  Buffer y;
  Buffer pooled;

  static int64_t out_extent(int64_t extent, int kernel, int stride, int padding) {
    return (extent + 2 * padding - kernel) / stride + 1;
  }

  Layer(const char* name, int64_t batch, int64_t in_channels, int64_t depth, int64_t height, int64_t width,
        int64_t out_channels)
      : name(name),
        shape{batch,
              in_channels,
              height,
              width,
              out_channels,
              out_extent(height, Window::kernel_y, Window::stride_y, Window::padding_y),
              out_extent(width, Window::kernel_x, Window::stride_x, Window::padding_x),
              1,
              depth,
              out_extent(depth, Window::kernel_z, Window::stride_z, Window::padding_z)},
        x(batch * in_channels * depth * height * width, 1),
        weight(out_channels * in_channels * Window::taps, 2),
        bias(out_channels, 3),
        y(batch * out_channels * shape.out_depth * shape.out_height * shape.out_width, 4),
        pooled(batch * out_channels * (shape.out_depth / Pool::depth) * (shape.out_height / Pool::height) *
                   (shape.out_width / Pool::width),
               5) {}

  StorePooled store() const {
    return {pooled.data(), shape.out_channels, shape.out_depth / Pool::depth, shape.out_height / Pool::height,
            shape.out_width / Pool::width};
  }

  double flops() const {
    return 2.0 * static_cast<double>(y.count()) * static_cast<double>(weight.count()) /
           static_cast<double>(shape.out_channels);
  }

  template <typename Tile>
  void today(const char* setting) const {
    const StorePooled all{y.data(), shape.out_channels, shape.out_depth, shape.out_height, shape.out_width};
    const double us =
        cold_us([&] { return launch_conv_direct_fp16<Tile, Window>(shape, x.data(), weight.data(), all, nullptr); });
    std::printf("%-8s %-32s %9.1f us %7.1f TFLOP/s (convolution alone, stored)\n", name, setting, us,
                flops() / us / 1e6);
    std::fflush(stdout);
  }

  template <int kTiles, int kChannels, int kTogether, int kImages, int kDeep, int kDown, int kAcross,
            bool kKeeps = false, int kWarps = 8>
  void joined() const {
    using Tile = DirectWindowsTile<Pool, kTiles, kWarps, kChannels, kTogether, kImages, kDeep, kDown, kAcross, kKeeps>;
    const std::string setting = std::to_string(8 * kTiles) + "x" + std::to_string(kChannels) + " by " +
                                std::to_string(kTogether) + ", " + std::to_string(kImages) + " of " +
                                std::to_string(kDeep) + "x" + std::to_string(kDown) + "x" + std::to_string(kAcross) +
                                (kKeeps ? " kept" : "") + (kWarps == 8 ? "" : " in " + std::to_string(kWarps));
    const int bytes = direct_fp16_detail::Stage<Tile, Window>::shared_bytes(static_cast<int>(shape.in_channels));
    if (bytes > 227 * 1024) {
      std::printf("%-8s %-32s has no room\n", name, setting.c_str());
      return;
    }
    using Kept = KeptAxes<Window::rank == 3 && !is_reduced, true, true>;
    using Before = std::conditional_t<kBefore, SoftmaxOfChannels, NoSoftmax>;
    using Behind = std::conditional_t<kBehind, SoftmaxOfChannels, NoSoftmax>;
    const StorePooled stored = store();
    const WindowChain<Join, Kept, Before, Behind, AddBias, Same, Same, StorePooled> chain{
        {bias.data()},
        {},
        {},
        stored,
        {static_cast<int>(stored.depth), static_cast<int>(stored.height), static_cast<int>(stored.width)},
        static_cast<float>(Pool::depth * Pool::height * Pool::width)};
    cudaMemset(pooled.data(), 0xff, static_cast<std::size_t>(pooled.count()) * sizeof(float));
    const double us = cold_us(
        [&] { return launch_conv_direct_fp16_pool<Tile, Window>(shape, x.data(), weight.data(), chain, nullptr); });
    const double error = find_error();
    std::printf("%-8s %-32s %9.1f us %7.1f TFLOP/s %4d KiB  error %.1e%s\n", name, setting.c_str(), us,
                flops() / us / 1e6, bytes / 1024, error, error <= 2e-6 ? "" : "  WRONG");
    std::fflush(stdout);
  }

  // On the ordinary pipes.
  template <typename Tile>
  void ordinary(const char* setting) const {
    const StorePooled stored = store();
    const double us = cold_us([&] {
      return launch_conv_direct_pool<Tile, Window, Join, Pool::height, Pool::width>(
          shape, x.data(), weight.data(), AddBias{bias.data()}, stored, stored.height, stored.width,
          static_cast<float>(Pool::height * Pool::width), nullptr);
    });
    const double error = find_error();
    std::printf("%-8s %-32s %9.1f us %7.1f TFLOP/s           error %.1e%s\n", name, setting, us, flops() / us / 1e6,
                error, error <= 2e-6 ? "" : "  WRONG");
    std::fflush(stdout);
  }

  // By whole rows of 64 channels.
  template <int kGroups, int kChannels, int kRows>
  void by_rows() const {
    const StorePooled stored = store();
    const double us = cold_us([&] {
      return launch_conv_direct_rows_pool<DirectRowsPoolTile<kGroups, kChannels, kRows>, Window, Join, Pool::height,
                                          Pool::width>(shape, x.data(), weight.data(), AddBias{bias.data()}, stored,
                                                       stored.height, stored.width,
                                                       static_cast<float>(Pool::height * Pool::width), nullptr);
    });
    const double error = find_error();
    const std::string setting = "rows " + std::to_string(kGroups) + " of " + std::to_string(kRows);
    std::printf("%-8s %-32s %9.1f us %7.1f TFLOP/s           error %.1e%s\n", name, setting.c_str(), us,
                flops() / us / 1e6, error, error <= 2e-6 ? "" : "  WRONG");
    std::fflush(stdout);
  }

  double find_error() const {
    double* pairs = nullptr;
    require(cudaMalloc(&pairs, 2 * kSampled * sizeof(double)), "cudaMalloc");
    check_kernel<Window, Pool, Join, kBefore, kBehind>
        <<<kSampled / 32, 32>>>(shape, x.data(), weight.data(), bias.data(), store(), pairs, pairs + kSampled);
    std::vector<double> host(2 * kSampled);
    require(cudaMemcpy(host.data(), pairs, host.size() * sizeof(double), cudaMemcpyDeviceToHost), "errors");
    cudaFree(pairs);
    return *std::max_element(host.begin(), host.begin() + kSampled) /
           *std::max_element(host.begin() + kSampled, host.end());
  }
};

struct Gelu {
  const float* bias;

  __device__ float operator()(int64_t, int64_t channel, int64_t, int64_t, float sum) const {
    const float value = sum + __ldg(bias + channel);
    return stitch::gelu(value);
  }
};

struct StoreMean {
  float* y;
  int64_t channels;

  __device__ void operator()(int64_t n, int64_t channel, float value) const { y[n * channels + channel] = value; }
};

constexpr int kThreadsOfPlane = 256;

// A block a plane: |got - mean|.
template <typename Window>
__global__ void check_mean_kernel(ConvShape s, const float* x, const float* weight, const float* bias, const float* y,
                                  double* differences) {
  __shared__ double sums[kThreadsOfPlane];
  const int64_t plane = blockIdx.x * int64_t{97} % (s.batch * s.out_channels);
  const int64_t channel = plane % s.out_channels;
  double total = 0;
  for (int64_t pixel = threadIdx.x; pixel < s.out_height * s.out_width; pixel += kThreadsOfPlane) {
    double sum = bias[channel];
    for (int64_t k = 0; k < s.in_channels * Window::taps; ++k) {
      const auto tap = static_cast<int>(k % Window::taps);
      const int64_t row = pixel / s.out_width + tap / Window::kernel_x;
      const int64_t column = pixel % s.out_width + tap % Window::kernel_x;
      const int64_t in = plane / s.out_channels * s.in_channels + k / Window::taps;
      sum += static_cast<double>(x[(in * s.height + row) * s.width + column]) *
             weight[channel * s.in_channels * Window::taps + k];
    }
    total += 0.5 * sum * (1 + erf(sum * 0.7071067811865476));
  }
  sums[threadIdx.x] = total;
  __syncthreads();
  for (int half = kThreadsOfPlane / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    const double mean = sums[0] / static_cast<double>(s.out_height * s.out_width);
    const double off = fabs(y[plane] - mean) / fabs(mean);
    differences[blockIdx.x] = off == off ? off : 1e30;
  }
}

// Means of planes behind a GELU, of a window without padding.
template <typename Window>
struct Means {
  static constexpr int checked = 64;
  static constexpr int64_t most_parts = 1 << 11;  // of a plane
  const char* name;
  ConvShape shape;
  Buffer x;
  Buffer weight;
  Buffer bias;
  Buffer y;
  Buffer scratch;

  Means(const char* name, int64_t batch, int64_t in_channels, int64_t height, int64_t width, int64_t out_channels)
      : name(name),
        shape{batch,
              in_channels,
              height,
              width,
              out_channels,
              height - Window::kernel_y + 1,
              width - Window::kernel_x + 1,
              1},
        x(batch * in_channels * height * width, 1),
        weight(out_channels * in_channels * Window::taps, 2),
        bias(out_channels, 3),
        y(batch * out_channels, 4),
        scratch(batch * out_channels * most_parts, 5) {}

  template <typename Launch>
  void report(const char* setting, const Launch& launch) const {
    cudaMemset(y.data(), 0xff, static_cast<std::size_t>(y.count()) * sizeof(float));
    const double us = cold_us([&] {
      return launch(Gelu{bias.data()}, StoreMean{y.data(), shape.out_channels},
                    static_cast<float>(shape.out_height * shape.out_width));
    });
    double* differences = nullptr;
    require(cudaMalloc(&differences, checked * sizeof(double)), "cudaMalloc");
    check_mean_kernel<Window>
        <<<checked, kThreadsOfPlane>>>(shape, x.data(), weight.data(), bias.data(), y.data(), differences);
    double host[checked];
    require(cudaMemcpy(host, differences, sizeof(host), cudaMemcpyDeviceToHost), "errors");
    cudaFree(differences);
    const double error = *std::max_element(host, host + checked);
    std::printf("%-8s %-32s %9.1f us                       error %.1e%s\n", name, setting, us, error,
                error <= 1e-5 ? "" : "  WRONG");
    std::fflush(stdout);
  }

  void today() const {
    report("direct_tf32x3_groups_64", [&](const Gelu& element, const StoreMean& store, float divisor) {
      return launch_conv_direct_wgmma_mean<DirectWgmmaTile<64>, Window>(shape, x.data(), weight.data(), element, store,
                                                                        divisor, scratch.data(), nullptr);
    });
  }

  template <int kGroups, int kChannels, int kRows>
  void rows() const {
    using Tile = DirectRowsMeanTile<kGroups, kChannels, 1, kRows>;
    const direct_rows_detail::Layout<Tile, Window> layout(shape.out_width);
    if (layout.shared_bytes(static_cast<int>(shape.in_channels)) > 227 * 1024 / Tile::blocks_of_multiprocessor - 1024) {
      return;
    }
    const std::string setting = "rows " + std::to_string(kGroups) + " of " + std::to_string(kRows);
    report(setting.c_str(), [&](const Gelu& element, const StoreMean& store, float divisor) {
      return launch_conv_direct_rows_mean<Tile, Window>(shape, x.data(), weight.data(), element, store, divisor,
                                                        scratch.data(), nullptr);
    });
  }
};

bool is_asked(int count, char** names, const char* name) {
  bool is_named = count == 1;
  for (int i = 1; i < count; ++i) {
    is_named = is_named || std::strcmp(names[i], name) == 0;
  }
  return is_named;
}

using Cube3 = ConvWindow3d<3, 3, 3, 1, 1, 1, 0, 0, 0, 1, 1, 1>;
using Valid5 = ConvWindow<5, 5, 1, 1, 0, 0, 1, 1>;

// The smallest over 22 planes of 24 channels, and then a softmax.
void depth_and_softmax() {
  const Layer<Cube3, PooledWindow<22, 1, 1>, SmallestOfWindow, false, true> layer("L2/24", 128, 3, 24, 32, 32, 24);
  layer.today<DirectFp16Tile<2, 1, 1, 8, 4, 2, 8, 1>>("direct_fp16x3_32x4");
  layer.joined<3, 3, 4, 1, 1, 2, 30>();
  layer.joined<3, 3, 4, 1, 1, 4, 30>();
  layer.joined<3, 3, 4, 1, 1, 5, 30>();
  layer.joined<3, 3, 4, 1, 1, 6, 30>();
  layer.joined<3, 3, 4, 1, 1, 3, 16>();
  layer.joined<3, 3, 4, 1, 1, 4, 16>();
  layer.joined<3, 3, 4, 1, 1, 4, 30, true>();
  layer.joined<3, 3, 4, 1, 1, 5, 30, true>();
  layer.joined<3, 3, 4, 1, 1, 5, 30, false, 12>();
  layer.joined<3, 3, 4, 1, 1, 5, 30, false, 16>();
  layer.joined<3, 3, 8, 1, 1, 5, 30>();
}

// A softmax over 16 channels, and windows of 4 along each axis.
void softmax_and_windows() {
  const Layer<Cube3, PooledWindow<4, 4, 4>, LargestOfWindow, true, false> layer("L2/6", 128, 3, 16, 32, 32, 16);
  layer.today<DirectFp16Tile<1, 1, 2, 8, 4, 2, 8, 1>>("direct_fp16x3_16x4");
  layer.joined<2, 3, 4, 1, 1, 2, 7>();
  layer.joined<2, 3, 4, 1, 1, 4, 7>();
  layer.joined<2, 3, 4, 1, 3, 1, 7>();
  layer.joined<2, 3, 8, 1, 1, 2, 7>();
  layer.joined<2, 3, 8, 1, 1, 3, 7>();
  layer.joined<2, 3, 8, 1, 1, 4, 7>();
  layer.joined<2, 3, 8, 1, 1, 7, 7>();
  layer.joined<2, 3, 8, 1, 3, 3, 7>();
  layer.joined<2, 3, 4, 1, 1, 4, 7, true>();
  layer.joined<2, 3, 8, 1, 1, 4, 7, true>();
  layer.joined<2, 3, 8, 1, 1, 7, 7, false, 16>();
}

// Windows of 2 of small images.
void small_images() {
  const Layer<Valid5, PooledWindow<1, 2, 2>, LargestOfWindow, false, false> second("LeNet-2", 4096, 6, 1, 14, 14, 16);
  second.today<DirectFp16Tile<1, 1, 2, 8, 8, 1, 16, 1>>("direct_fp16x3_16x8");
  second.ordinary<DirectTile<16>>("ordinary pipes 16");
  second.ordinary<DirectTile<16, 64>>("ordinary pipes 16 of 64 threads");
  second.joined<2, 6, 4, 2, 1, 5, 5>();
  second.joined<2, 6, 4, 3, 1, 5, 5>();
  second.joined<2, 6, 4, 4, 1, 5, 5>();
  second.joined<2, 6, 4, 5, 1, 5, 5>();
  second.joined<2, 6, 4, 7, 1, 5, 5>();
  second.joined<2, 6, 4, 8, 1, 5, 5>();
  const Layer<Valid5, PooledWindow<1, 2, 2>, LargestOfWindow, false, false> first("LeNet-1", 4096, 1, 1, 32, 32, 6);
  first.today<DirectFp16Tile<1, 1, 2, 8, 4, 1, 16, 1>>("direct_fp16x3_16x4");
  first.ordinary<DirectTile<8>>("ordinary pipes 8");
  first.ordinary<DirectTile<8, 128>>("ordinary pipes 8 of 128 threads");
  first.joined<1, 1, 4, 1, 1, 14, 14>();
  first.joined<1, 1, 4, 2, 1, 14, 14>();
  first.joined<1, 1, 4, 3, 1, 14, 14>();
  first.joined<1, 1, 4, 5, 1, 14, 14>();
}

// Windows of 4 of 64 channels: in one block or in two that split the same patches.
void many_channels() {
  const Layer<ConvWindow<3, 3, 1, 1, 0, 0, 1, 1>, PooledWindow<1, 4, 4>, LargestOfWindow, false, false> layer(
      "L2/82", 128, 8, 1, 256, 256, 64);
  layer.by_rows<2, 8, 4>();
  layer.by_rows<4, 8, 8>();
  layer.joined<4, 8, 4, 1, 1, 2, 16>();
  layer.joined<4, 8, 4, 1, 1, 4, 16>();
  layer.joined<4, 8, 4, 1, 1, 8, 16>();
  layer.joined<4, 8, 4, 1, 1, 1, 63>();
  layer.joined<8, 8, 4, 1, 1, 2, 16>();
  layer.joined<8, 8, 4, 1, 1, 4, 16>();
  layer.joined<8, 8, 4, 1, 1, 8, 16>();
  layer.joined<8, 8, 4, 1, 1, 2, 32>();
}

// Planes of 64 channels.
void means() {
  const Means<ConvWindow<3, 3, 1, 1, 0, 0, 1, 1>> layer("L2/67", 128, 8, 256, 256, 64);
  layer.today();
  layer.rows<2, 8, 1>();
  layer.rows<2, 8, 2>();
  layer.rows<2, 8, 3>();
  layer.rows<2, 8, 4>();
  layer.rows<2, 8, 6>();
  layer.rows<4, 8, 4>();
  layer.rows<4, 8, 6>();
  layer.rows<4, 8, 8>();
  layer.rows<4, 8, 12>();
}

}  // namespace

int main(int count, char** arguments) {
  alarm(kMostSeconds);
  if (is_asked(count, arguments, "L2/24")) {
    depth_and_softmax();
  }
  if (is_asked(count, arguments, "L2/6")) {
    softmax_and_windows();
  }
  if (is_asked(count, arguments, "LeNet")) {
    small_images();
  }
  if (is_asked(count, arguments, "L2/82")) {
    many_channels();
  }
  if (is_asked(count, arguments, "L2/67")) {
    means();
  }
  return 0;
}
