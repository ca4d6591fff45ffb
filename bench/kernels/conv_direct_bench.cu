// SPDX-License-Identifier: Apache-2.0
// Times direct convolutions of few channels on the tensor cores: three fp16 products in each of their tiles, by lines
// of 32 pixels and by whole rows, and three TF32 products beside them, with cold caches; and a copy of as many bytes. A
// sample of outputs is compared with double precision: `error` is the largest difference in units of 2^-24 of the sum
// of the products' magnitudes, an fp32 loop's own is said once a layer.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include
//        bench/kernels/conv_direct_bench.cu
// Arguments: names of layers, all without any.
#include <cstring>

#include "harness.cuh"
#include "kernels/conv/direct_fp16.cuh"
#include "kernels/conv/direct_mma.cuh"
#include "kernels/conv/direct_rows.cuh"
#include "kernels/conv/direct_wgmma.cuh"

namespace {

using namespace stitch;
using namespace stitch_bench;

struct StoreOutput {
  float* y;
  ConvShape shape;

  __device__ void operator()(int64_t n, int64_t channel, int64_t z, int64_t out_y, int64_t out_x, float value) const {
    const int64_t plane = (n * shape.out_channels + channel) * shape.out_depth + z;
    y[(plane * shape.out_height + out_y) * shape.out_width + out_x] = value;
  }
  __device__ void operator()(int64_t n, int64_t channel, int64_t out_y, int64_t out_x, float value) const {
    (*this)(n, channel, 0, out_y, out_x, value);
  }
  __device__ int64_t place(int64_t n, int64_t channel, int64_t pixel) const {
    return (n * shape.out_channels + channel) * shape.out_depth * shape.out_height * shape.out_width + pixel;
  }
  __device__ void operator()(int64_t n, int64_t channel, int64_t pixel, float value) const {
    y[place(n, channel, pixel)] = value;
  }
  template <int kLanes>
  __device__ void lanes(int64_t n, int64_t channel, int64_t pixel, const Lanes<float, kLanes>& values) const {
    store_lanes<kLanes>(y + place(n, channel, pixel), values);
  }
};

// Reads and writes as many bytes as a convolution does.
__global__ void copy_kernel(const float4* x, int64_t read, float4* y, int64_t count) {
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < count; i += int64_t{gridDim.x} * blockDim.x) {
    y[i] = i < read ? x[i] : make_float4(0, 0, 0, 0);
  }
}

constexpr int kSampled = 4096;

// Of each sample: the largest of both kinds of error.
template <typename Window>
__global__ void error_kernel(ConvShape s, const float* x, const float* weight, const float* y, double* got,
                             double* plain) {
  const int sample = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int64_t outputs = s.batch * s.out_channels * s.out_depth * s.out_height * s.out_width;
  const auto place = static_cast<int64_t>(sample * 11400714819323198485ull % static_cast<uint64_t>(outputs));
  const int64_t out_x = place % s.out_width;
  const int64_t out_y = place / s.out_width % s.out_height;
  const int64_t out_z = place / s.out_width / s.out_height % s.out_depth;
  const int64_t plane = place / s.out_width / s.out_height / s.out_depth;
  double sum = 0;
  double size = 0;
  float rounded = 0;
  for (int64_t k = 0; k < s.in_channels * Window::taps; ++k) {
    const auto tap = static_cast<int>(k % Window::taps);
    const int64_t in_z =
        out_z * Window::stride_z - Window::padding_z + tap / Window::kernel_x / Window::kernel_y * Window::dilation_z;
    const int64_t in_y =
        out_y * Window::stride_y - Window::padding_y + tap / Window::kernel_x % Window::kernel_y * Window::dilation_y;
    const int64_t in_x = out_x * Window::stride_x - Window::padding_x + tap % Window::kernel_x * Window::dilation_x;
    if (in_z < 0 || in_z >= s.depth || in_y < 0 || in_y >= s.height || in_x < 0 || in_x >= s.width) {
      continue;
    }
    const int64_t channel = plane / s.out_channels * s.in_channels + k / Window::taps;
    const float element = x[((channel * s.depth + in_z) * s.height + in_y) * s.width + in_x];
    const float own = weight[plane % s.out_channels * s.in_channels * Window::taps + k];
    sum += static_cast<double>(element) * own;
    size += fabs(static_cast<double>(element) * own);
    rounded = fmaf(element, own, rounded);
  }
  const double unit = size * 0x1p-24;
  const double difference = fabs(y[place] - sum) / unit;
  got[sample] = unit > 0 ? (difference == difference ? difference : 1e30) : 0;
  plain[sample] = unit > 0 ? fabs(rounded - sum) / unit : 0;
}

// A convolution, and what has been measured of it.
template <typename Window>
struct Layer {
  const char* name;
  ConvShape shape;
  Buffer x;
  Buffer weight;
  Buffer y;

  static int64_t out_extent(int64_t extent, int kernel, int stride, int padding, int dilation) {
    return (extent + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
  }

  Layer(const char* name, int64_t batch, int64_t in_channels, int64_t depth, int64_t height, int64_t width,
        int64_t out_channels)
      : name(name),
        shape{batch,
              in_channels,
              height,
              width,
              out_channels,
              out_extent(height, Window::kernel_y, Window::stride_y, Window::padding_y, Window::dilation_y),
              out_extent(width, Window::kernel_x, Window::stride_x, Window::padding_x, Window::dilation_x),
              1,
              depth,
              out_extent(depth, Window::kernel_z, Window::stride_z, Window::padding_z, Window::dilation_z)},
        x(batch * in_channels * depth * height * width, 1),
        weight(out_channels * in_channels * Window::taps, 2),
        y(batch * out_channels * shape.out_depth * shape.out_height * shape.out_width, 3) {}

  template <typename Launch>
  void report(const char* setting, const Launch& launch) const {
    cudaMemset(y.data(), 0xff, static_cast<std::size_t>(y.count()) * sizeof(float));
    const double us = cold_us([&] { return launch(StoreOutput{y.data(), shape}); });
    const double flops = 2.0 * static_cast<double>(y.count()) * static_cast<double>(weight.count()) /
                         static_cast<double>(shape.out_channels);
    const double bytes = 4.0 * static_cast<double>(x.count() + weight.count() + y.count());
    double got = 0;
    double plain = 0;
    find_errors(got, plain);
    std::printf("%-9s %-20s %9.1f us %7.1f TFLOP/s %7.0f GB/s  error %6.2f (fp32 loop %5.2f)%s\n", name, setting, us,
                flops / us / 1e6, bytes / us / 1e3, got, plain, got <= 2 + 2 * plain ? "" : "  WRONG");
    std::fflush(stdout);
  }

  void find_errors(double& got, double& plain) const {
    double* pairs = nullptr;
    require(cudaMalloc(&pairs, 2 * kSampled * sizeof(double)), "cudaMalloc");
    error_kernel<Window><<<kSampled / 64, 64>>>(shape, x.data(), weight.data(), y.data(), pairs, pairs + kSampled);
    std::vector<double> host(2 * kSampled);
    require(cudaMemcpy(host.data(), pairs, host.size() * sizeof(double), cudaMemcpyDeviceToHost), "errors");
    cudaFree(pairs);
    got = *std::max_element(host.begin(), host.begin() + kSampled);
    plain = *std::max_element(host.begin() + kSampled, host.end());
  }

  template <typename Tile>
  void fp16(const char* setting) const {
    if constexpr (direct_fp16_detail::Stage<Tile, Window>::shared_bytes(Tile::input_channels) <= 227 * 1024) {
      report(setting, [&](const StoreOutput& store) {
        return launch_conv_direct_fp16<Tile, Window>(shape, x.data(), weight.data(), store, nullptr);
      });
    } else {
      std::printf("%-9s %-20s has no room\n", name, setting);
    }
  }

  template <typename Tile>
  void tf32(const char* setting) const {
    if constexpr (direct_mma_detail::Stage<Tile, Window>::shared_bytes <= 227 * 1024) {
      report(setting, [&](const StoreOutput& store) {
        return launch_conv_direct_mma<Tile, Window>(shape, x.data(), weight.data(), store, nullptr);
      });
    }
  }

  template <int kChannels>
  void tf32_groups(const char* setting) const {
    if constexpr (Window::rank == 2 &&
                  direct_wgmma_detail::Stage<DirectWgmmaTile<kChannels>, Window>::shared_bytes <= 113 * 1024) {
      report(setting, [&](const StoreOutput& store) {
        return launch_conv_direct_wgmma<DirectWgmmaTile<kChannels>, Window>(shape, x.data(), weight.data(), store,
                                                                            are_fours(), nullptr);
      });
    }
  }

  bool are_fours() const { return shape.out_depth * shape.out_height * shape.out_width % 4 == 0; }

  template <int kGroups, int kChannels, int kDepth, int kRows>
  void rows() const {
    using Tile = DirectRowsTile<kGroups, kChannels, kDepth, kRows>;
    if constexpr (Window::stride_x == 1 && Window::stride_y == 1 && (kDepth == 1 || Window::rank == 3)) {
      const direct_rows_detail::Layout<Tile, Window> layout(shape.out_width);
      const int bytes = layout.shared_bytes(static_cast<int>(shape.in_channels));
      if (bytes > 227 * 1024 / Tile::blocks_of_multiprocessor - 1024) {
        return;
      }
      const std::string setting =
          "rows " + std::to_string(kGroups) + " of " + std::to_string(kDepth) + "x" + std::to_string(kRows);
      report(setting.c_str(), [&](const StoreOutput& store) {
        return launch_conv_direct_rows<Tile, Window>(shape, x.data(), weight.data(), store, are_fours(), nullptr);
      });
    }
  }

  template <int kChannels>
  void all_rows() const {
    if constexpr (Window::rank == 2) {
      rows<2, kChannels, 1, 4>();
      rows<2, kChannels, 1, 8>();
      rows<4, kChannels, 1, 4>();
      rows<4, kChannels, 1, 8>();
      rows<4, kChannels, 1, 16>();
    } else {
      rows<2, kChannels, 1, 4>();
      rows<2, kChannels, 2, 4>();
      rows<2, kChannels, 2, 8>();
      rows<2, kChannels, 1, 16>();
      rows<4, kChannels, 2, 4>();
      rows<4, kChannels, 4, 4>();
      rows<4, kChannels, 2, 8>();
      rows<4, kChannels, 2, 16>();
    }
  }

  void copy() const {
    const double us = cold_us([&] {
      copy_kernel<<<132 * 8, 256>>>(reinterpret_cast<const float4*>(x.data()), x.count() / 4,
                                    reinterpret_cast<float4*>(y.data()), y.count() / 4);
      return cudaGetLastError();
    });
    std::printf("%-9s %-20s %9.1f us %26.0f GB/s\n", name, "copy", us,
                4.0 * static_cast<double>(x.count() + y.count()) / us / 1e3);
  }

  // Of so many tiles of sixteen channels, by patches of sixteen lines, one below the other or two beside each other.
  template <int kTiles, int kWarpsOfChannels, int kLinesOfWarp, int kWarps, int kChannels>
  void patches(const char* setting) const {
    constexpr int kDepth = Window::rank == 3 ? 2 : 1;
    constexpr int kRows = 16 / kDepth;
    fp16<DirectFp16Tile<kTiles, kWarpsOfChannels, kLinesOfWarp, kWarps, kChannels, kDepth, kRows, 1>>(setting);
    fp16<DirectFp16Tile<kTiles, kWarpsOfChannels, kLinesOfWarp, kWarps, kChannels, kDepth, kRows / 2, 2>>(
        (std::string(setting) + " two across").c_str());
  }

  template <int kChannels>
  void all() const {
    copy();
    if (shape.out_channels > 32) {
      all_rows<kChannels>();
    }
    if (shape.out_channels <= 16) {
      patches<1, 1, 2, 8, kChannels>("fp16 16");
    } else {
      patches<2, 1, 1, 8, kChannels>("fp16 32");
    }
    if (shape.out_channels > 32) {
      patches<2, 2, 1, 16, kChannels>("fp16 64");
      tf32<DirectMmaTile<64, kChannels>>("tf32 64");
      tf32_groups<64>("tf32 groups 64");
    }
    tf32_groups<32>("tf32 groups 32");
    tf32<DirectMmaTile<32, kChannels>>("tf32 32");
  }
};

bool is_asked(int count, char** names, const char* name) {
  bool is_named = count == 1;
  for (int i = 1; i < count; ++i) {
    is_named = is_named || std::strcmp(names[i], name) == 0;
  }
  return is_named;
}

}  // namespace

int main(int count, char** arguments) {
  using Cube3 = ConvWindow3d<3, 3, 3, 1, 1, 1, 0, 0, 0, 1, 1, 1>;
  using Cube4 = ConvWindow3d<4, 4, 4, 1, 1, 1, 0, 0, 0, 1, 1, 1>;
  using Box = ConvWindow3d<3, 5, 7, 1, 1, 1, 0, 0, 0, 1, 1, 1>;
  using Same3 = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
  using Valid3 = ConvWindow<3, 3, 1, 1, 0, 0, 1, 1>;
  using Seven = ConvWindow<7, 7, 2, 2, 3, 3, 1, 1>;
  using Eleven = ConvWindow<11, 11, 4, 4, 2, 2, 1, 1>;
  const auto asked = [&](const char* name) { return is_asked(count, arguments, name); };
  const auto run = [&]<typename Window, int kChannels>(const char* name, std::initializer_list<int64_t> s) {
    if (asked(name)) {
      const int64_t* const of = s.begin();
      Layer<Window>(name, of[0], of[1], of[2], of[3], of[4], of[5]).template all<kChannels>();
    }
  };
  run.operator()<Cube3, 4>("L1/54", {16, 3, 64, 64, 64, 64});
  run.operator()<Box, 4>("L1/60", {16, 3, 64, 64, 64, 64});
  run.operator()<Box, 4>("L1/66", {8, 3, 16, 128, 128, 64});
  run.operator()<Cube3, 4>("L2/24", {128, 3, 24, 32, 32, 24});
  run.operator()<Cube3, 4>("L2/48", {128, 3, 16, 64, 64, 16});
  run.operator()<Cube4, 4>("L2/27", {1024, 3, 16, 32, 32, 16});
  run.operator()<Cube3, 4>("L2/6", {128, 3, 16, 32, 32, 16});
  run.operator()<Cube3, 8>("L2/90", {128, 8, 16, 64, 64, 64});
  run.operator()<Cube3, 8>("L2/7", {64, 8, 32, 64, 64, 32});
  run.operator()<Cube3, 4>("L2/83", {128, 3, 16, 64, 64, 16});
  run.operator()<Valid3, 8>("L2/57", {128, 8, 1, 128, 128, 64});
  run.operator()<Valid3, 8>("L2/82", {128, 8, 1, 256, 256, 64});
  run.operator()<Valid3, 8>("odd", {128, 8, 1, 127, 127, 64});
  run.operator()<Same3, 4>("3to64", {64, 3, 1, 224, 224, 64});
  run.operator()<Same3, 4>("3to32", {64, 3, 1, 224, 224, 32});
  run.operator()<Same3, 4>("1to32", {64, 1, 1, 224, 224, 32});
  run.operator()<Same3, 8>("8to64", {128, 8, 1, 128, 128, 64});
  run.operator()<Seven, 4>("7x7s2", {64, 3, 1, 224, 224, 64});
  run.operator()<Eleven, 4>("11x11s4", {256, 3, 1, 224, 224, 96});
  return 0;
}
