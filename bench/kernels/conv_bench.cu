// SPDX-License-Identifier: Apache-2.0
// Times the convolution skeletons on layers of common networks and compares a sample with double precision.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include bench/kernels/conv_bench.cu
#include "harness.cuh"
#include "kernels/conv/depthwise.cuh"
#include "kernels/conv/direct.cuh"
#include "kernels/conv/direct_mma.cuh"
#include "kernels/conv/direct_wgmma.cuh"
#include "kernels/conv/implicit_gemm_ffma.cuh"
#include "kernels/conv/implicit_gemm_mma.cuh"

namespace {

using namespace stitch;
using namespace stitch_bench;

struct StoreOutput {
  float* y;
  int64_t image_stride;
  int64_t channel_stride;
  int64_t row_stride;
  __device__ void operator()(int64_t n, int64_t channel, int64_t out_y, int64_t out_x, float value) const {
    y[n * image_stride + channel * channel_stride + out_y * row_stride + out_x] = value;
  }
};

// Pixels by their number in the plane.
struct StorePixel {
  float* y;
  int64_t image_stride;
  int64_t channel_stride;

  template <int kLanes>
  __device__ void lanes(int64_t n, int64_t channel, int64_t pixel, const Lanes<float, kLanes>& values) const {
    store_float_lanes(y + n * image_stride + channel * channel_stride + pixel, values);
  }
  __device__ void operator()(int64_t n, int64_t channel, int64_t pixel, float value) const {
    lanes<1>(n, channel, pixel, {value});
  }
};

constexpr int kSampled = 512;

template <typename Window>
__global__ void reference_kernel(ConvShape s, const float* x, const float* weight, const float* y, double* got,
                                 double* want) {
  const int sample = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int64_t outputs = s.batch * s.out_channels * s.out_height * s.out_width;
  const auto place = static_cast<int64_t>(sample * 2654435761ull % static_cast<uint64_t>(outputs));
  const int64_t out_x = place % s.out_width;
  const int64_t out_y = place / s.out_width % s.out_height;
  const int64_t channel = place / s.out_width / s.out_height % s.out_channels;
  const int64_t n = place / s.out_width / s.out_height / s.out_channels;
  const int64_t depth = s.in_channels / s.groups;
  const int64_t first = channel / (s.out_channels / s.groups) * depth;
  double sum = 0.0;
  for (int64_t c = 0; c < depth; ++c) {
    for (int tap = 0; tap < Window::taps; ++tap) {
      const int64_t in_y = out_y * Window::stride_y - Window::padding_y + tap / Window::kernel_x * Window::dilation_y;
      const int64_t in_x = out_x * Window::stride_x - Window::padding_x + tap % Window::kernel_x * Window::dilation_x;
      if (in_y >= 0 && in_y < s.height && in_x >= 0 && in_x < s.width) {
        sum += static_cast<double>(x[((n * s.in_channels + first + c) * s.height + in_y) * s.width + in_x]) *
               weight[(channel * depth + c) * Window::taps + tap];
      }
    }
  }
  want[sample] = sum;
  got[sample] = y[place];
}

template <typename Window>
struct Layer {
  ConvShape shape;
  Buffer x;
  Buffer weight;
  Buffer y;
  std::string size;

  static int64_t out_extent(int64_t extent) {
    return (extent + 2 * Window::padding_y - Window::dilation_y * (Window::kernel_y - 1) - 1) / Window::stride_y + 1;
  }

  Layer(int64_t batch, int64_t in_channels, int64_t side, int64_t out_channels, int64_t groups)
      : shape{batch, in_channels, side, side, out_channels, out_extent(side), out_extent(side), groups},
        x(batch * in_channels * side * side, 1),
        weight(out_channels * (in_channels / groups) * Window::taps, 2),
        y(batch * out_channels * shape.out_height * shape.out_width, 3),
        size(std::to_string(batch) + "x" + std::to_string(in_channels) + "x" + std::to_string(side) + " -> " +
             std::to_string(out_channels) + ", " + std::to_string(Window::kernel_y) + "/" +
             std::to_string(Window::stride_y)) {}

  StoreOutput store() const {
    const int64_t plane = shape.out_height * shape.out_width;
    return {y.data(), shape.out_channels * plane, plane, shape.out_width};
  }

  template <typename Launch>
  void report(const char* kernel, const char* setting, const Launch& launch) const {
    cudaMemset(y.data(), 0xff, static_cast<std::size_t>(y.count()) * sizeof(float));
    const double elapsed_us = median_us([&] { return launch(store()); });
    const double flops = 2.0 * static_cast<double>(y.count()) * static_cast<double>(weight.count()) /
                         static_cast<double>(shape.out_channels);
    print_row(kernel, size, setting, elapsed_us, flops / elapsed_us / 1e6, error(), 1e-4);
  }

  double error() const {
    double* pairs = nullptr;
    require(cudaMalloc(&pairs, 2 * kSampled * sizeof(double)), "cudaMalloc");
    reference_kernel<Window><<<kSampled / 64, 64>>>(shape, x.data(), weight.data(), y.data(), pairs, pairs + kSampled);
    std::vector<double> host(2 * kSampled);
    require(cudaMemcpy(host.data(), pairs, host.size() * sizeof(double), cudaMemcpyDeviceToHost), "reference");
    cudaFree(pairs);
    const auto middle = host.begin() + kSampled;
    return relative_error({host.begin(), middle}, {middle, host.end()});
  }

  template <typename Tile>
  void ffma(const char* setting) const {
    report("ffma", setting, [&](const StoreOutput& store) {
      return launch_conv_ffma<Tile, Window>(shape, x.data(), weight.data(), store, nullptr);
    });
  }

  template <typename Tile>
  void mma(const char* setting) const {
    report("tf32x3", setting, [&](const StoreOutput& store) {
      return launch_conv_mma<Tf32x3, Tile, Window>(shape, x.data(), weight.data(), store, nullptr);
    });
  }

  void depthwise() const {
    report("depthwise", "", [&](const StoreOutput& store) {
      return launch_conv_depthwise<Window>(shape, x.data(), weight.data(), store, nullptr);
    });
  }

  template <int kChannels>
  void direct() const {
    report("direct", std::to_string(kChannels).c_str(), [&](const StoreOutput& store) {
      return launch_conv_direct<DirectTile<kChannels>, Window>(shape, x.data(), weight.data(), store, nullptr);
    });
  }

  template <int kChannels, int kInputChannels>
  void direct_mma() const {
    const std::string setting = std::to_string(kChannels) + "x" + std::to_string(kInputChannels);
    report("direct tf32x3", setting.c_str(), [&](const StoreOutput& store) {
      using Tile = DirectMmaTile<kChannels, kInputChannels>;
      return launch_conv_direct_mma<Tile, Window>(shape, x.data(), weight.data(), store, nullptr);
    });
  }

  // Where wgmma is.
  void direct_wgmma() const {
    int major = 0;
    require(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "capability");
    if (major != 9) {
      return;
    }
    report("direct wgmma", "64", [&](const StoreOutput& store) {
      return launch_conv_direct_wgmma<DirectWgmmaTile<64>, Window>(
          shape, x.data(), weight.data(), StorePixel{store.y, store.image_stride, store.channel_stride},
          store.channel_stride % 4 == 0, nullptr);
    });
  }

  void all_direct_mma() const {
    direct_mma<32, 4>();
    direct_mma<32, 8>();
    direct_mma<64, 4>();
    direct_mma<64, 8>();
  }

  void all_direct() const {
    direct<8>();
    direct<16>();
    direct<32>();
    direct<64>();
    all_direct_mma();
  }

  void all() const {
    all_tiles();
    all_direct_mma();
  }

  void all_tiles() const {
    ffma<FfmaTileLarge>("large");
    ffma<FfmaTileMedium>("medium");
    mma<MmaTileLarge>("large");
    mma<MmaTileMedium>("medium");
    mma<MmaTileBroad>("broad");
    mma<MmaTileTall>("tall");
    direct<32>();
    direct<64>();
  }
};

}  // namespace

int main() {
  print_header("TFLOP/s");
  using Same3 = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
  Layer<Same3>(16, 32, 75, 160, 1).all();
  Layer<Same3>(16, 64, 57, 64, 1).all();
  Layer<ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>>(16, 64, 57, 128, 1).all();
  Layer<Same3>(16, 128, 29, 128, 1).all();
  Layer<Same3>(16, 3, 57, 64, 1).all();
  Layer<Same3>(64, 64, 56, 64, 1).all();
  Layer<Same3>(64, 256, 14, 256, 1).all();
  Layer<Same3>(16, 512, 7, 512, 1).all();
  Layer<ConvWindow<1, 1, 1, 1, 0, 0, 1, 1>>(64, 256, 56, 64, 1).all();
  Layer<ConvWindow<7, 7, 2, 2, 3, 3, 1, 1>>(64, 3, 224, 64, 1).all_tiles();
  Layer<Same3>(32, 256, 56, 256, 256).depthwise();
  // Few channels, which cuDNN computes in fp32.
  Layer<Same3>(128, 8, 254, 64, 1).all_direct();
  Layer<Same3>(128, 8, 254, 64, 1).direct_wgmma();
  Layer<Same3>(128, 8, 126, 64, 1).direct_wgmma();
  Layer<Same3>(128, 3, 254, 16, 1).all_direct();
  Layer<Same3>(64, 8, 126, 128, 1).all_direct();
  Layer<Same3>(64, 8, 126, 128, 1).direct_wgmma();
  Layer<ConvWindow<5, 5, 1, 1, 2, 2, 1, 1>>(64, 3, 254, 64, 1).direct<64>();
  return 0;
}
