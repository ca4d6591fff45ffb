// SPDX-License-Identifier: Apache-2.0
// Times convolutions of networks at small batches by wgmma from images as they lie: windows in registers, and clusters
// of blocks that share the input channels, of one tap too. Compares them with sums of rounded operands.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include
//   bench/kernels/window_bench.cu
// Arguments: names of layers; none for all.
#include <algorithm>
#include <string_view>
#include <vector>

#include "difference.cuh"
#include "kernels/conv/pointwise_cluster.cuh"
#include "kernels/conv/window_wgmma.cuh"
#include "store_pixel.cuh"

namespace {

using namespace stitch;
using namespace stitch_bench;

using Point = ConvWindow<1, 1, 1, 1, 0, 0, 1, 1>;
using Three = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
using Halved = ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>;

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
  Buffer weight;
  Buffer y;
  Buffer other;
  double flops;

  Layer(const char* name, int64_t batch, int64_t in, int64_t side, int64_t out)
      : name(name),
        shape(shape_of<Window>(batch, in, side, out)),
        x(batch * in * side * side, 1),
        weight(in * out * Window::taps, 2),
        y(batch * out * shape.out_height * shape.out_width, 3),
        other(y.count(), 4) {
    flops = 2.0 * static_cast<double>(y.count() * in * Window::taps);
    const dim3 blocks(static_cast<unsigned>(ceil_divide(shape.out_height * shape.out_width, 256)),
                      static_cast<unsigned>(out), static_cast<unsigned>(batch));
    reference_kernel<Window><<<blocks, 256>>>(shape, x.data(), weight.data(), other.data());
  }

  template <typename Tile, int kCluster>
  void run() const {
    if ((Tile::channels > 32 && Tile::channels >= 2 * shape.out_channels) ||
        ceil_divide(shape.in_channels, 32) < kCluster) {
      return;
    }
    const StorePixel store{y.data(), shape.out_channels, shape.out_height * shape.out_width};
    cudaMemset(y.data(), 0xff, static_cast<std::size_t>(y.count()) * sizeof(float));
    double elapsed_us = 0;
    if constexpr (Window::taps == 1) {
      const Buffer arranged(pointwise_detail::WeightBlocks(shape, Tile::channels).bytes(Tile::channels) / 4);
      require(launch_arrange_pointwise<Tile>(shape, weight.data(), arranged.data(), nullptr), "arrange");
      elapsed_us = median_us([&] {
        if constexpr (kCluster > 1) {
          return launch_conv_kept_pointwise_cluster<Tile, kCluster>(shape, x.data(), weight.data(), store, true,
                                                                    arranged.data(), nullptr);
        } else {
          return launch_conv_kept_pointwise_wgmma<Tile>(shape, x.data(), weight.data(), store, true, arranged.data(),
                                                        nullptr);
        }
      });
    } else {
      const window_detail::WindowSteps steps = window_detail::window_steps<Tile, Window>(shape, x.data());
      if (!window_detail::WindowMemory<Tile, Window>(steps).fits()) {
        return;
      }
      const Buffer arranged(window_detail::window_weight_bytes<Tile, Window>(shape) / 4);
      require((launch_arrange_windows<Tile, Window>(shape, weight.data(), arranged.data(), nullptr)), "arrange");
      elapsed_us = median_us([&] {
        return launch_conv_kept_window_wgmma<Tile, Window, kCluster>(shape, x.data(), weight.data(), store, true,
                                                                     arranged.data(), nullptr);
      });
    }
    std::printf("%-18s %3dx%-3d x%d %9.1f us %8.1f TFLOP/s  differs %.2e\n", name, Tile::places, Tile::channels,
                kCluster, elapsed_us, flops / elapsed_us / 1e6, greatest_difference(y, other));
    std::fflush(stdout);
  }

  template <typename Tile>
  void run_clusters() const {
    run<Tile, 1>();
    if constexpr (Window::taps > 1 || Tile::groups == 1) {
      run<Tile, 2>();
      run<Tile, 4>();
      if constexpr (Tile::channels >= 64) {
        run<Tile, 8>();
      }
    }
  }

  void run_all() const {
    run_clusters<PointwiseTile<1, 64>>();
    run_clusters<PointwiseTile<1, 128>>();
    if constexpr (Window::taps > 1) {
      run_clusters<PointwiseTile<1, 32>>();
      run_clusters<PointwiseTile<2, 32>>();
      run_clusters<PointwiseTile<2, 64>>();
      run_clusters<PointwiseTile<2, 128>>();
    }
  }
};

std::vector<std::string_view> wanted;  // empty for all

template <typename Window>
void time_layer(const char* name, int64_t batch, int64_t in, int64_t side, int64_t out) {
  if (wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end()) {
    Layer<Window>(name, batch, in, side, out).run_all();
  }
}

}  // namespace

int main(int count, char** names) {
  wanted.assign(names + 1, names + count);
  time_layer<Point>("1024x14-256", 10, 1024, 14, 256);
  time_layer<Point>("256x14-1024", 10, 256, 14, 1024);
  time_layer<Point>("2048x7-512", 10, 2048, 7, 512);
  time_layer<Point>("512x28-128", 10, 512, 28, 128);
  time_layer<Point>("1152x7-192", 10, 1152, 7, 192);
  time_layer<Three>("256x14-256", 10, 256, 14, 256);
  time_layer<Three>("128x28-128", 10, 128, 28, 128);
  time_layer<Three>("64x56-64", 10, 64, 56, 64);
  time_layer<Three>("512x7-512", 10, 512, 7, 512);
  time_layer<Three>("512x14-32", 10, 512, 14, 32);
  time_layer<Three>("256x56-32", 10, 256, 56, 32);
  time_layer<Three>("64x256-64", 8, 64, 256, 64);
  time_layer<Halved>("256x28-256", 10, 256, 28, 256);
  return 0;
}
