// SPDX-License-Identifier: Apache-2.0
// Times convolutions of one tap by wgmma on shapes of networks and of KernelBench, beside a copy as long as what they
// read and write, and compares them with sums of rounded operands.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include
//   bench/kernels/pointwise_bench.cu
// Arguments: names of layers; none for all.
#include <algorithm>
#include <string_view>
#include <vector>

#include "difference.cuh"
#include "kernels/conv/pointwise_wgmma.cuh"
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

  Layer(const char* name, int64_t batch, int64_t in, int64_t side, int64_t out)
      : name(name),
        shape{batch, in, side, side, out, side, side, 1},
        x(batch * in * side * side, 1),
        weight(in * out, 2),
        y(batch * out * side * side, 3),
        other(batch * out * side * side, 4) {
    flops = 2.0 * static_cast<double>(y.count() * in);
    bytes = 4.0 * static_cast<double>(x.count() + y.count() + weight.count());
    const dim3 blocks(static_cast<unsigned>((side * side + 255) / 256), static_cast<unsigned>(out),
                      static_cast<unsigned>(batch));
    reference_kernel<<<blocks, 256>>>(shape, x.data(), weight.data(), other.data());
    const double elapsed_us = median_us([&] {
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
    const double elapsed_us = median_us([&] {
      return launch_conv_pointwise_wgmma<Tile>(shape, x.data(), weight.data(), store, true, scratch.data(), nullptr);
    });
    std::printf("%-22s %3dx%-6d %9.1f us %8.1f TFLOP/s %12.0f GB/s  differs %.2e  %d stages%s\n", name, Tile::places,
                Tile::channels, elapsed_us, flops / elapsed_us / 1e6, bytes / elapsed_us / 1e3,
                greatest_difference(y, other), memory.stages, memory.has_all_weights ? ", weights kept" : "");
    std::fflush(stdout);
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

}  // namespace

int main(int count, char** names) {
  wanted.assign(names + 1, names + count);
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
