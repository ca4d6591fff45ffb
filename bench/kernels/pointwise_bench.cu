// SPDX-License-Identifier: Apache-2.0
// Times convolutions of one tap by wgmma on shapes of networks and of KernelBench, beside a copy as long as what they
// read and write, and compares them with sums of rounded operands; grouped ones in fp32's class, beside tiles of a
// product, and compares those with sums in double.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include
//   bench/kernels/pointwise_bench.cu
// Arguments: names of layers; none for all.
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "difference.cuh"
#include "kernels/conv/implicit_gemm_ffma.cuh"
#include "kernels/conv/implicit_gemm_mma.cuh"
#include "kernels/conv/pointwise_tf32x3.cuh"
#include "store_pixel.cuh"

namespace {

using namespace stitch;
using namespace stitch_bench;

__device__ float tf32(float value) { return __uint_as_float(mma_detail::rounded_tf32(value) & 0xffffe000u); }

// One output a thread.
__global__ void reference_kernel(ConvShape shape, const float* input, const float* weight, float* output) {
  const int64_t pixels = shape.height * shape.width;
  const int64_t pixel = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  const int64_t channel = blockIdx.y;
  const int64_t image = blockIdx.z;
  if (pixel >= pixels) {
    return;
  }
  float sum = 0;
  for (int64_t k = 0; k < shape.in_channels; ++k) {
    sum = fmaf(tf32(input[(image * shape.in_channels + k) * pixels + pixel]),
               tf32(weight[channel * shape.in_channels + k]), sum);
  }
  output[(image * shape.out_channels + channel) * pixels + pixel] = sum;
}

// The same in double, of a group's channels as they are.
__global__ void exact_reference_kernel(ConvShape shape, const float* input, const float* weight, float* output) {
  const int64_t pixels = shape.height * shape.width;
  const int64_t pixel = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  const int64_t channel = blockIdx.y;
  const int64_t image = blockIdx.z;
  if (pixel >= pixels) {
    return;
  }
  const int64_t depth = shape.in_channels / shape.groups;
  const int64_t first = channel / (shape.out_channels / shape.groups) * depth;
  double sum = 0;
  for (int64_t k = 0; k < depth; ++k) {
    sum += static_cast<double>(input[(image * shape.in_channels + first + k) * pixels + pixel]) *
           weight[channel * depth + k];
  }
  output[(image * shape.out_channels + channel) * pixels + pixel] = static_cast<float>(sum);
}

// For tiles of a product.
struct StoreOutput {
  float* y;
  int64_t channels;
  int64_t height;
  int64_t width;

  __device__ void operator()(int64_t n, int64_t channel, int64_t out_y, int64_t out_x, float value) const {
    y[((n * channels + channel) * height + out_y) * width + out_x] = value;
  }
};

__global__ void copy_kernel(const float4* from, int64_t reads, float4* to, int64_t writes) {
  float4 sum = make_float4(0, 0, 0, 0);
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  const int64_t most = reads > writes ? reads : writes;
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < most; i += step) {
    if (i < reads) {
      const float4 value = from[i];
      sum = make_float4(sum.x + value.x, sum.y + value.y, sum.z + value.z, sum.w + value.w);
    }
    if (i < writes) {
      to[i] = sum;
    }
  }
  if (sum.x == 12345.678f) {
    to[0] = sum;
  }
}

struct Layer {
  const char* name;
  ConvShape shape;
  Buffer x;
  Buffer weight;
  Buffer y;
  Buffer other;
  double flops;
  double bytes;

  Layer(const char* name, int64_t batch, int64_t in, int64_t side, int64_t out, int64_t groups = 0)
      : name(name),
        shape{batch, in, side, side, out, side, side, groups == 0 ? 1 : groups},
        x(batch * in * side * side, 1),
        weight(in / shape.groups * out, 2),
        y(batch * out * side * side, 3),
        other(batch * out * side * side, 4) {
    flops = 2.0 * static_cast<double>(y.count() * in / shape.groups);
    bytes = 4.0 * static_cast<double>(x.count() + y.count() + weight.count());
    const dim3 blocks(static_cast<unsigned>((side * side + 255) / 256), static_cast<unsigned>(out),
                      static_cast<unsigned>(batch));
    const auto reference = groups == 0 ? reference_kernel : exact_reference_kernel;
    reference<<<blocks, 256>>>(shape, x.data(), weight.data(), other.data());
    const double elapsed_us = cold_us([&] {
      copy_kernel<<<132 * 8, 256>>>(reinterpret_cast<const float4*>(x.data()), x.count() / 4,
                                    reinterpret_cast<float4*>(y.data()), y.count() / 4);
      return cudaGetLastError();
    });
    std::printf("%-22s %-10s %9.1f us %30.0f GB/s\n", name, "copy", elapsed_us, bytes / elapsed_us / 1e3);
  }

  template <typename Tile>
  void run() const {
    if (Tile::channels > 16 && Tile::channels >= 2 * shape.out_channels) {
      return;
    }
    const pointwise_detail::WeightBlocks weights(shape, Tile::channels);
    const pointwise_detail::Memory<Tile> memory(weights.slices);
    const Buffer scratch(weights.bytes(Tile::channels) / 4);
    cudaMemset(y.data(), 0xff, static_cast<std::size_t>(y.count()) * sizeof(float));
    const int64_t pixels = shape.height * shape.width;
    const StorePixel store{y.data(), shape.out_channels, pixels};
    const double elapsed_us = cold_us([&] {
      return launch_conv_pointwise_wgmma<Tile>(shape, x.data(), weight.data(), store, true, scratch.data(), nullptr);
    });
    std::printf("%-22s %3dx%-6d %9.1f us %8.1f TFLOP/s %12.0f GB/s  differs %.2e  %d stages%s\n", name, Tile::places,
                Tile::channels, elapsed_us, flops / elapsed_us / 1e6, bytes / elapsed_us / 1e3,
                greatest_difference(y, other), memory.stages, memory.has_all_weights ? ", weights kept" : "");
    std::fflush(stdout);
  }

  void report(const char* setting, double elapsed_us) const {
    std::printf("%-22s %-24s %9.1f us %8.1f TFLOP/s %12.0f GB/s  differs %.2e\n", name, setting, elapsed_us,
                flops / elapsed_us / 1e6, bytes / elapsed_us / 1e3, greatest_difference(y, other));
    std::fflush(stdout);
  }

  // In fp32's class, weights arranged before.
  template <typename Tile>
  void run_exact() const {
    const int64_t of_group = shape.out_channels / shape.groups;
    const pointwise_detail::WeightBlocks weights(shape, Tile::channels);
    if (Tile::channels > 32 && weights.blocks_of_group * Tile::channels * 2 > of_group * 3) {
      return;
    }
    const pointwise_detail::Memory<Tile> memory(weights.slices);
    const Buffer arranged(weights.bytes(Tile::channels, Tile::parts) / 4);
    require(launch_arrange_pointwise<Tile>(shape, weight.data(), arranged.data(), nullptr), "arrange");
    cudaMemset(y.data(), 0xff, static_cast<std::size_t>(y.count()) * sizeof(float));
    const StorePixel store{y.data(), shape.out_channels, shape.height * shape.width};
    const double elapsed_us = cold_us([&] {
      return launch_conv_kept_pointwise_tf32x3<Tile>(shape, x.data(), weight.data(), store, true, arranged.data(),
                                                     nullptr);
    });
    const std::string setting = "tf32x3 " + std::to_string(Tile::places) + "x" + std::to_string(Tile::channels) + " " +
                                std::to_string(memory.stages) + (memory.has_all_weights ? " kept" : "");
    report(setting.c_str(), elapsed_us);
  }

  template <typename Launch>
  void run_tiles(const char* setting, const Launch& launch) const {
    cudaMemset(y.data(), 0xff, static_cast<std::size_t>(y.count()) * sizeof(float));
    const StoreOutput store{y.data(), shape.out_channels, shape.height, shape.width};
    report(setting, cold_us([&] { return launch(store); }));
  }

  void run_all_tiles() const {
    using Window = ConvWindow<1, 1, 1, 1, 0, 0, 1, 1>;
    run_tiles("tiles tf32x3_160x64", [&](const StoreOutput& store) {
      return launch_conv_mma<Tf32x3, MmaTileTall, Window>(shape, x.data(), weight.data(), store, nullptr);
    });
    run_tiles("tiles tf32x3_64x64", [&](const StoreOutput& store) {
      return launch_conv_mma<Tf32x3, MmaTileMedium, Window>(shape, x.data(), weight.data(), store, nullptr);
    });
    run_tiles("tiles ffma_128x128", [&](const StoreOutput& store) {
      return launch_conv_ffma<FfmaTileLarge, Window>(shape, x.data(), weight.data(), store, nullptr);
    });
  }
};

std::vector<std::string_view> wanted;  // empty for all

void time_layer(const char* name, int64_t batch, int64_t in, int64_t side, int64_t out) {
  if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) {
    return;
  }
  const Layer layer(name, batch, in, side, out);
  layer.run<PointwiseTile<2, 192>>();
  layer.run<PointwiseTile<2, 128>>();
  layer.run<PointwiseTile<2, 96>>();
  layer.run<PointwiseTile<2, 64>>();
  layer.run<PointwiseTile<1, 128>>();
  layer.run<PointwiseTile<1, 64>>();
  layer.run<PointwiseTile<1, 32>>();
  layer.run<PointwiseTile<1, 16>>();
}

// In fp32's class.
void time_groups(const char* name, int64_t batch, int64_t in, int64_t side, int64_t out, int64_t groups) {
  if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) {
    return;
  }
  const Layer layer(name, batch, in, side, out, groups);
  layer.run_exact<PointwiseTile<2, 80, 2>>();
  layer.run_exact<PointwiseTile<2, 64, 2>>();
  layer.run_exact<PointwiseTile<2, 40, 2>>();
  layer.run_exact<PointwiseTile<2, 32, 2>>();
  layer.run_exact<PointwiseTile<1, 80, 2>>();
  layer.run_exact<PointwiseTile<1, 64, 2>>();
  layer.run_exact<PointwiseTile<1, 40, 2>>();
  layer.run_exact<PointwiseTile<1, 32, 2>>();
  layer.run_all_tiles();
}

}  // namespace

int main(int count, char** names) {
  constexpr unsigned kMostSeconds = 60;
  alarm(kMostSeconds);
  wanted.assign(names + 1, names + count);
  time_groups("groups240x224-120", 10, 240, 224, 120, 3);
  time_groups("groups120x224-480", 10, 120, 224, 480, 3);
  time_groups("groups24x56-60", 10, 24, 56, 60, 3);
  time_groups("groups60x56-240", 10, 60, 56, 240, 3);
  time_groups("groups240x56-60", 10, 240, 56, 60, 3);
  time_groups("groups240x56-120", 10, 240, 56, 120, 3);
  time_groups("groups120x56-480", 10, 120, 56, 480, 3);
  time_groups("groups480x56-120", 10, 480, 56, 120, 3);
  time_groups("groups480x56-240", 10, 480, 56, 240, 3);
  time_groups("groups240x56-960", 10, 240, 56, 960, 3);
  time_groups("groups960x56-240", 10, 960, 56, 240, 3);
  time_groups("groups65x7-51", 10, 65 * 3, 7, 51 * 3, 3);
  time_groups("exact64x56-256", 64, 64, 56, 256, 1);
  time_groups("exact512x28-512", 32, 512, 28, 512, 1);
  time_groups("exact512x14-1024", 64, 512, 14, 1024, 1);
  time_layer("480x224-192", 10, 480, 224, 192);
  time_layer("480x224-16", 10, 480, 224, 16);
  time_layer("64x56-256", 64, 64, 56, 256);
  time_layer("256x56-64", 64, 256, 56, 64);
  time_layer("512x14-1024", 64, 512, 14, 1024);
  time_layer("256x14-1024", 10, 256, 14, 1024);
  time_layer("6x256-64", 128, 6, 256, 64);
  time_layer("64x1024-128", 16, 64, 1024, 128);
  time_layer("1056x7-128", 10, 1056, 7, 128);
  time_layer("512x28-512", 32, 512, 28, 512);
  time_layer("1024x28-2048", 32, 1024, 28, 2048);
  return 0;
}
