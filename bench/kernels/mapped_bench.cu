// SPDX-License-Identifier: Apache-2.0
// Times convolutions that map their input while they read it, a trained norm and its activation, beside the same
// convolution of what is stored and a launch that maps it before. Compares them with sums of mapped, rounded operands.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include
//   bench/kernels/mapped_bench.cu
// Arguments: names of layers; none for all.
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "difference.cuh"
#include "kernels/conv/depthwise.cuh"
#include "kernels/conv/pointwise_cluster.cuh"
#include "kernels/conv/turned.cuh"
#include "kernels/conv/window_wgmma.cuh"
#include "store_pixel.cuh"

namespace {

using namespace stitch;
using namespace stitch_bench;

using Point = ConvWindow<1, 1, 1, 1, 0, 0, 1, 1>;
using Three = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
using Halved = ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>;
using Five = ConvWindow<5, 5, 1, 1, 2, 2, 1, 1>;

// As steps have it: a norm and a rectifier, or the sigmoid's product.
template <bool kIsSilu>
struct NormMap {
  const float* mean;
  const float* scale;
  const float* shift;

  __device__ __forceinline__ float operator()(int64_t channel, float value) const {
    const float normed = (value - mean[channel]) * scale[channel] + shift[channel];
    return kIsSilu ? normed / (1.0f + expf(-normed)) : (normed < 0 ? 0 : normed);
  }
};

template <typename Map>
__global__ void apply_kernel(Map map, const float4* from, float4* to, int64_t count, int64_t quads, int64_t channels) {
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < count; i += int64_t{gridDim.x} * blockDim.x) {
    const int64_t channel = i / quads % channels;
    const float4 value = from[i];
    to[i] = make_float4(map(channel, value.x), map(channel, value.y), map(channel, value.z), map(channel, value.w));
  }
}

// Where planes are no multiples of four.
template <typename Map>
__global__ void apply_one_kernel(Map map, const float* from, float* to, int64_t count, int64_t plane,
                                 int64_t channels) {
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < count; i += int64_t{gridDim.x} * blockDim.x) {
    to[i] = map(i / plane % channels, from[i]);
  }
}

__device__ float tf32(float value) { return __uint_as_float(mma_detail::rounded_tf32(value) & 0xffffe000u); }

// One output a thread.
template <typename Window>
__global__ void reference_kernel(ConvShape shape, const float* input, const float* weight, float* output) {
  const int64_t pixels = shape.out_height * shape.out_width;
  const int64_t pixel = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  const int64_t channel = blockIdx.y;
  const int64_t image = blockIdx.z;
  if (pixel >= pixels) {
    return;
  }
  const int64_t first_y = pixel / shape.out_width * Window::stride_y - Window::padding_y;
  const int64_t first_x = pixel % shape.out_width * Window::stride_x - Window::padding_x;
  float sum = 0;
  for (int64_t k = 0; k < shape.in_channels * Window::taps; ++k) {
    const int64_t y = first_y + k % Window::taps / Window::kernel_x;
    const int64_t x = first_x + k % Window::kernel_x;
    if (y >= 0 && y < shape.height && x >= 0 && x < shape.width) {
      const int64_t plane = image * shape.in_channels + k / Window::taps;
      sum = fmaf(tf32(input[(plane * shape.height + y) * shape.width + x]),
                 tf32(weight[channel * shape.in_channels * Window::taps + k]), sum);
    }
  }
  output[(image * shape.out_channels + channel) * pixels + pixel] = sum;
}

template <typename Window>
ConvShape shape_of(int64_t batch, int64_t in, int64_t side, int64_t out) {
  const int64_t out_side = (side + 2 * Window::padding_x - Window::kernel_x) / Window::stride_x + 1;
  return {batch, in, side, side, out, out_side, out_side, 1};
}

template <typename Window>
struct Layer {
  const char* name;
  ConvShape shape;
  Buffer x;
  Buffer mapped;
  Buffer weight;
  Buffer numbers;
  Buffer y;
  Buffer other;
  NormMap<false> relu;
  NormMap<true> silu;

  Layer(const char* name, int64_t batch, int64_t in, int64_t side, int64_t out)
      : name(name),
        shape(shape_of<Window>(batch, in, side, out)),
        x(batch * in * side * side, 1),
        mapped(x.count(), 5),
        weight(in * out * Window::taps, 2),
        numbers(3 * in, 6),
        y(batch * out * shape.out_height * shape.out_width, 3),
        other(y.count(), 4),
        relu{numbers.data(), numbers.data() + in, numbers.data() + 2 * in},
        silu{numbers.data(), numbers.data() + in, numbers.data() + 2 * in} {
    const double apply_us = cold_us([&] { return apply(); });
    const dim3 blocks(static_cast<unsigned>(ceil_divide(shape.out_height * shape.out_width, 256)),
                      static_cast<unsigned>(out), static_cast<unsigned>(batch));
    reference_kernel<Window><<<blocks, 256>>>(shape, mapped.data(), weight.data(), other.data());
    std::printf("%-14s mapped by a launch %9.1f us\n", name, apply_us);
  }

  cudaError_t apply() const {
    const int64_t plane = shape.height * shape.width;
    if (plane % 4 == 0) {
      apply_kernel<<<132 * 8, 256>>>(relu, reinterpret_cast<const float4*>(x.data()),
                                     reinterpret_cast<float4*>(mapped.data()), x.count() / 4, plane / 4,
                                     shape.in_channels);
    } else {
      apply_one_kernel<<<132 * 8, 256>>>(relu, x.data(), mapped.data(), x.count(), plane, shape.in_channels);
    }
    return cudaGetLastError();
  }

  template <typename Tile, int kCluster, typename Map>
  cudaError_t launch(const float* input, const Buffer& arranged, const Map& map) const {
    const StorePixel store{y.data(), shape.out_channels, shape.out_height * shape.out_width};
    if constexpr (Window::taps > 1) {
      return launch_conv_kept_window_wgmma<Tile, Window, kCluster>(shape, input, weight.data(), store, true,
                                                                   arranged.data(), nullptr, map);
    } else if constexpr (kCluster > 1) {
      return launch_conv_kept_pointwise_cluster<Tile, kCluster>(shape, input, weight.data(), store, true,
                                                                arranged.data(), nullptr, map);
    } else {
      return launch_conv_kept_pointwise_wgmma<Tile>(shape, input, weight.data(), store, true, arranged.data(), nullptr,
                                                    map);
    }
  }

  template <typename Tile, int kCluster = 1>
  void run() const {
    if ((Tile::channels > 32 && Tile::channels >= 2 * shape.out_channels) ||
        ceil_divide(shape.in_channels, 32) < kCluster) {
      return;
    }
    int64_t bytes = 0;
    if constexpr (Window::taps > 1) {
      const window_detail::WindowSteps steps = window_detail::window_steps<Tile, Window>(shape, x.data());
      if (!window_detail::WindowMemory<Tile, Window>(steps).fits()) {
        return;
      }
      bytes = window_detail::window_weight_bytes<Tile, Window>(shape);
    } else {
      bytes = pointwise_detail::WeightBlocks(shape, Tile::channels).bytes(Tile::channels);
    }
    const Buffer arranged(bytes / 4);
    if constexpr (Window::taps > 1) {
      require((launch_arrange_windows<Tile, Window>(shape, weight.data(), arranged.data(), nullptr)), "arrange");
    } else {
      require(launch_arrange_pointwise<Tile>(shape, weight.data(), arranged.data(), nullptr), "arrange");
    }
    const double plain_us = cold_us([&] { return launch<Tile, kCluster>(mapped.data(), arranged, AsStored{}); });
    const double silu_us = cold_us([&] { return launch<Tile, kCluster>(x.data(), arranged, silu); });
    cudaMemset(y.data(), 0xff, static_cast<std::size_t>(y.count()) * sizeof(float));
    const double relu_us = cold_us([&] { return launch<Tile, kCluster>(x.data(), arranged, relu); });
    std::printf("%-14s %3dx%-3d x%d  as stored %7.1f us  relu %7.1f us  silu %7.1f us  differs %.2e\n", name,
                Tile::places, Tile::channels, kCluster, plain_us, relu_us, silu_us, greatest_difference(y, other));
    std::fflush(stdout);
  }
};

std::vector<std::string_view> wanted;  // empty for all

bool is_wanted(const char* name) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

void time_points(const char* name, int64_t batch, int64_t in, int64_t side, int64_t out) {
  if (is_wanted(name)) {
    const Layer<Point> layer(name, batch, in, side, out);
    layer.run<PointwiseTile<2, 128>>();
    layer.run<PointwiseTile<2, 96>>();
    layer.run<PointwiseTile<2, 64>>();
    layer.run<PointwiseTile<1, 128>>();
    layer.run<PointwiseTile<1, 64>>();
    layer.run<PointwiseTile<1, 32>>();
    layer.run<PointwiseTile<1, 64>, 4>();
    layer.run<PointwiseTile<1, 128>, 4>();
  }
}

// Compared with what the two launches make.
template <typename Window>
void time_depthwise(const char* name, int64_t batch, int64_t channels, int64_t side) {
  if (!is_wanted(name)) {
    return;
  }
  ConvShape shape = shape_of<Window>(batch, channels, side, channels);
  shape.groups = channels;
  const Buffer x(batch * channels * side * side, 1), mapped(x.count(), 5), weight(channels * Window::taps, 2);
  const Buffer numbers(3 * channels, 6);
  const Buffer y(batch * channels * shape.out_height * shape.out_width, 3), other(y.count(), 4);
  const NormMap<false> relu{numbers.data(), numbers.data() + channels, numbers.data() + 2 * channels};
  const NormMap<true> silu{numbers.data(), numbers.data() + channels, numbers.data() + 2 * channels};
  const int64_t pixels = shape.out_height * shape.out_width;
  const PixelEpilogue<StorePixel> store{{y.data(), channels, pixels}, shape.out_height, shape.out_width};
  const PixelEpilogue<StorePixel> store_other{{other.data(), channels, pixels}, shape.out_height, shape.out_width};
  const double apply_us = cold_us([&] {
    apply_kernel<<<132 * 8, 256>>>(relu, reinterpret_cast<const float4*>(x.data()),
                                   reinterpret_cast<float4*>(mapped.data()), x.count() / 4, side * side / 4, channels);
    return cudaGetLastError();
  });
  const double plain_us =
      cold_us([&] { return launch_conv_depthwise<Window>(shape, mapped.data(), weight.data(), store_other, nullptr); });
  const double silu_us =
      cold_us([&] { return launch_conv_depthwise<Window>(shape, x.data(), weight.data(), store, nullptr, silu); });
  const double relu_us =
      cold_us([&] { return launch_conv_depthwise<Window>(shape, x.data(), weight.data(), store, nullptr, relu); });
  std::printf("%-14s mapped by a launch %9.1f us\n", name, apply_us);
  std::printf("%-14s depthwise    as stored %7.1f us  relu %7.1f us  silu %7.1f us  differs %.2e\n", name, plain_us,
              relu_us, silu_us, greatest_difference(y, other));
  std::fflush(stdout);
}

template <typename Window>
void time_windows(const char* name, int64_t batch, int64_t in, int64_t side, int64_t out) {
  if (is_wanted(name)) {
    const Layer<Window> layer(name, batch, in, side, out);
    layer.template run<PointwiseTile<1, 32>>();
    layer.template run<PointwiseTile<1, 64>>();
    layer.template run<PointwiseTile<1, 128>>();
    layer.template run<PointwiseTile<2, 128>>();
    layer.template run<PointwiseTile<1, 64>, 4>();
    layer.template run<PointwiseTile<1, 128>, 2>();
  }
}

}  // namespace

int main(int count, char** names) {
  constexpr unsigned kMostSeconds = 14;
  alarm(kMostSeconds);  // a launch that never ends
  wanted.assign(names + 1, names + count);
  time_points("64x56-256", 10, 64, 56, 256);
  time_points("128x28-512", 10, 128, 28, 512);
  time_points("256x14-1024", 10, 256, 14, 1024);
  time_points("512x7-2048", 10, 512, 7, 2048);
  time_points("128x56-128", 10, 128, 56, 128);
  time_points("16x112-96", 10, 16, 112, 96);
  time_points("32x120-32", 10, 32, 120, 32);
  time_points("96x56-24", 10, 96, 56, 24);
  time_points("144x56-24", 10, 144, 56, 24);
  time_points("384x14-64", 10, 384, 14, 64);
  time_windows<Three>("128x28-128", 10, 128, 28, 128);
  time_windows<Three>("256x14-256", 10, 256, 14, 256);
  time_windows<Three>("512x7-512", 10, 512, 7, 512);
  time_windows<Three>("64x56-64", 10, 64, 56, 64);
  time_windows<Three>("512x14-32", 10, 512, 14, 32);
  time_windows<Three>("256x56-32", 10, 256, 56, 32);
  time_windows<Halved>("128x56-128", 10, 128, 56, 128);
  time_depthwise<Halved>("96x112 halved", 10, 96, 112);
  time_depthwise<Three>("32x112", 10, 32, 112);
  time_depthwise<Three>("144x56", 10, 144, 56);
  time_depthwise<Three>("384x14", 10, 384, 14);
  time_depthwise<Five>("240x28 five", 10, 240, 28);
  return 0;
}
