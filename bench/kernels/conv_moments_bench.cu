// SPDX-License-Identifier: Apache-2.0
// Times convolutions of few channels by whole rows with the statistics of a norm behind them, beside the convolution
// and the statistics apart; with cold caches. Both are followed by the same pass that normalises, which is timed too.
// Rows: a channel of all images (batch norm), or some channels of an image (group norm). `error`: the largest
// difference of means, in standard deviations, and of relative standard deviations, from sums in double precision.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include
//        bench/kernels/conv_moments_bench.cu
// Arguments: names of layers, all without any.
#include <unistd.h>

#include <cmath>
#include <cstring>

#include "harness.cuh"
#include "kernels/conv/direct_fp16_moments.cuh"
#include "kernels/conv/direct_rows_moments.cuh"
#include "kernels/conv/patch_group_moments.cuh"
#include "kernels/conv/patch_moments.cuh"
#include "kernels/norm/layer_norm_cluster.cuh"
#include "kernels/norm/layer_norm_shared.cuh"

namespace {

using namespace stitch;
using namespace stitch_bench;

constexpr unsigned kMostSeconds = 60;

struct AddBias {
  const float* bias;

  __device__ float operator()(int64_t, int64_t channel, int64_t, float sum) const { return sum + bias[channel]; }
};

// As an epilogue that adds the bias itself, or stores what was made of it.
template <bool kAddsBias>
struct StoreValue {
  float* y;
  const float* bias;
  int64_t channels;
  int64_t pixels;

  template <int kLanes>
  __device__ void lanes(int64_t n, int64_t channel, int64_t pixel, const Lanes<float, kLanes>& values) const {
    Lanes<float, kLanes> stored;
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      stored[lane] = kAddsBias ? values[lane] + bias[channel] : values[lane];
    }
    store_lanes<kLanes>(y + (n * channels + channel) * pixels + pixel, stored);
  }
  __device__ void operator()(int64_t n, int64_t channel, int64_t pixel, float value) const {
    lanes<1>(n, channel, pixel, {value});
  }
};

// The same of pixels named by their axes.
struct StoreByAxes {
  StoreValue<true> store;
  int64_t height;
  int64_t width;

  __device__ void operator()(int64_t n, int64_t channel, int64_t z, int64_t y, int64_t x, float value) const {
    store(n, channel, (z * height + y) * width + x, value);
  }
  __device__ void operator()(int64_t n, int64_t channel, int64_t y, int64_t x, float value) const {
    (*this)(n, channel, 0, y, x, value);
  }
};

// Mean and 1 / deviation of a row.
struct StoreTotal {
  float* mean;
  float* scale;

  __device__ void operator()(int64_t row, const WelfordAccumulator& total) const {
    mean[row] = total.mean;
    scale[row] = rsqrtf(total.variance(0.0f) + 1e-5f);
  }
};

struct LoadRow {
  const float* y;
  int64_t channels;  // 0: a row lies in one piece
  int64_t pixels;
  int64_t columns;

  __device__ const float* at(int64_t row, int64_t column) const {
    return channels == 0 ? y + row * columns + column
                         : y + (column / pixels * channels + row) * pixels + column % pixels;
  }
  template <int kLanes>
  __device__ Lanes<float, kLanes> lanes(int64_t row, int64_t column) const {
    return load_lanes<kLanes>(at(row, column));
  }
  __device__ float operator()(int64_t row, int64_t column) const { return *at(row, column); }
};

struct StoreRow {
  float* z;
  int64_t columns;

  template <int kLanes>
  __device__ void lanes(int64_t row, int64_t column, const Lanes<float, kLanes>& values) const {
    store_lanes<kLanes>(z + row * columns + column, values);
  }
  __device__ void operator()(int64_t row, int64_t column, float value) const { z[row * columns + column] = value; }
};

// One plane of a channel after the other: z = (y - mean) * scale.
__global__ void apply_kernel(const float4* y, float4* z, const float* mean, const float* scale, int64_t fours,
                             int channels, int channels_of_row, bool by_image) {
  const int plane = static_cast<int>(blockIdx.y);
  const int row = by_image ? plane / channels_of_row : plane % channels;
  const float m = mean[row];
  const float s = scale[row];
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i < fours) {
    const float4 v = y[plane * fours + i];
    z[plane * fours + i] = make_float4((v.x - m) * s, (v.y - m) * s, (v.z - m) * s, (v.w - m) * s);
  }
}

template <typename Rows>
__global__ void check_kernel(const float* y, const float* mean, const float* scale, ConvShape s, Rows rows,
                             double* errors) {
  __shared__ double sums[2][256];
  const int64_t pixels = s.out_depth * s.out_height * s.out_width;
  const int64_t row = blockIdx.x;
  const int64_t of_row = (rows.by_image ? rows.channels : s.batch) * pixels;
  double sum = 0;
  double squares = 0;
  for (int64_t i = threadIdx.x; i < of_row; i += 256) {
    const int64_t plane = rows.by_image ? row * rows.channels + i / pixels : i / pixels * s.out_channels + row;
    const double value = y[plane * pixels + i % pixels];
    sum += value;
    squares += value * value;
  }
  sums[0][threadIdx.x] = sum;
  sums[1][threadIdx.x] = squares;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 256; ++i) {
      sum += sums[0][i];
      squares += sums[1][i];
    }
    const double want = sum / static_cast<double>(of_row);
    const double deviation = sqrt(squares / static_cast<double>(of_row) - want * want + 1e-5);
    const double error = fmax(fabs(mean[row] - want) / deviation, fabs(1 / (scale[row] * deviation) - 1));
    errors[row] = error == error ? error : 1e30;
  }
}

template <typename Window, typename Rows>
struct Layer {
  const char* name;
  ConvShape shape;
  Rows rows;
  int64_t pixels;
  Buffer x;
  Buffer weight;
  Buffer bias;
  Buffer y;
  Buffer z;
  Buffer mean;
  Buffer scale;
  Buffer scratch;

  static int64_t out_extent(int64_t extent, int kernel, int padding, int stride) {
    return Window::transposed ? (extent - 1) * stride - 2 * padding + kernel
                              : (extent + 2 * padding - kernel) / stride + 1;
  }

  Layer(const char* name, int64_t batch, int64_t in_channels, int64_t depth, int64_t height, int64_t width,
        int64_t out_channels, const Rows& rows)
      : name(name),
        shape{batch,
              in_channels,
              height,
              width,
              out_channels,
              out_extent(height, Window::kernel_y, Window::padding_y, Window::stride_y),
              out_extent(width, Window::kernel_x, Window::padding_x, Window::stride_x),
              1,
              depth,
              out_extent(depth, Window::kernel_z, Window::padding_z, Window::stride_z)},
        rows(rows),
        pixels(shape.out_depth * shape.out_height * shape.out_width),
        x(batch * in_channels * depth * height * width, 1),
        weight(out_channels * in_channels * Window::taps, 2),
        bias(out_channels, 3),
        y(batch * out_channels * pixels, 4),
        z(batch * out_channels * pixels, 5),
        mean(rows.count(shape), 6),
        scale(rows.count(shape), 7),
        scratch(int64_t{96} << 20, 8) {}

  StoreTotal total() const { return {mean.data(), scale.data()}; }
  bool by_four() const { return pixels % 4 == 0; }

  cudaError_t apply() const {
    const int64_t fours = pixels / 4;
    const dim3 blocks(static_cast<unsigned>(ceil_divide(fours, 256)),
                      static_cast<unsigned>(shape.batch * shape.out_channels));
    apply_kernel<<<blocks, 256>>>(reinterpret_cast<const float4*>(y.data()), reinterpret_cast<float4*>(z.data()),
                                  mean.data(), scale.data(), fours, static_cast<int>(shape.out_channels),
                                  static_cast<int>(rows.channels), rows.by_image);
    return cudaGetLastError();
  }

  cudaError_t reduce(int64_t splits) const {
    const int64_t count = rows.count(shape);
    const int64_t columns = y.count() / count;
    const LoadRow load{y.data(), rows.by_image ? 0 : shape.out_channels, pixels, columns};
    return launch_reduce_rows_split<WelfordAccumulator, 256>(load, total(), {count, columns, by_four()}, splits,
                                                             scratch.data(), nullptr);
  }

  // Of the statistics that are there now.
  double error() const {
    double* errors = nullptr;
    const auto count = static_cast<size_t>(rows.count(shape));
    require(cudaMalloc(&errors, count * sizeof(double)), "cudaMalloc");
    check_kernel<<<static_cast<unsigned>(count), 256>>>(y.data(), mean.data(), scale.data(), shape, rows, errors);
    std::vector<double> host(count);
    require(cudaMemcpy(host.data(), errors, count * sizeof(double), cudaMemcpyDeviceToHost), "errors");
    cudaFree(errors);
    return *std::max_element(host.begin(), host.end());
  }

  void say(const std::string& setting, double us, double error) const {
    std::printf("%-8s %-34s %9.1f us", name, setting.c_str(), us);
    if (error >= 0) {
      std::printf("  error %.1e%s", error, error <= 2e-5 ? "" : "  WRONG");
    }
    std::printf("\n");
    std::fflush(stdout);
  }

  template <int kGroups, int kChannels, int kDepth, int kRows>
  void tile() const {
    using Tile = DirectRowsTile<kGroups, kChannels, kDepth, kRows>;
    const direct_rows_detail::Layout<Tile, Window> layout(shape.out_width);
    if (layout.shared_bytes(static_cast<int>(shape.in_channels)) > 227 * 1024 / Tile::blocks_of_multiprocessor - 1024) {
      return;
    }
    const std::string of = std::to_string(kGroups) + " of " + std::to_string(kDepth) + "x" + std::to_string(kRows);
    const auto alone = [&] {
      return launch_conv_direct_rows<Tile, Window>(shape, x.data(), weight.data(),
                                                   StoreValue<true>{y.data(), bias.data(), shape.out_channels, pixels},
                                                   by_four(), nullptr);
    };
    say("convolution " + of, cold_us(alone), -1);
    cudaMemset(y.data(), 0xff, static_cast<size_t>(y.count()) * sizeof(float));
    cudaMemset(mean.data(), 0xff, static_cast<size_t>(mean.count()) * sizeof(float));
    const auto both = [&] {
      return launch_conv_direct_rows_moments<Tile, Window>(
          shape, x.data(), weight.data(), AddBias{bias.data()},
          StoreValue<false>{y.data(), bias.data(), shape.out_channels, pixels}, by_four(), total(), rows,
          scratch.data(), nullptr);
    };
    const double us = cold_us(both);
    say("convolution + statistics " + of, us, error());
  }

  template <typename Policy, typename Tile>
  void patches(const char* of) const {
    const auto alone = [&] {
      return launch_conv_patch_mma<Policy, Tile, Window>(
          shape, x.data(), weight.data(), StoreValue<true>{y.data(), bias.data(), shape.out_channels, pixels},
          by_four(), scratch.data(), nullptr);
    };
    say(std::string("convolution ") + of, cold_us(alone), -1);
    cudaMemset(y.data(), 0xff, static_cast<size_t>(y.count()) * sizeof(float));
    cudaMemset(mean.data(), 0xff, static_cast<size_t>(mean.count()) * sizeof(float));
    const auto both = [&] {
      return launch_conv_patch_moments<Policy, Tile, Window>(
          shape, x.data(), weight.data(), AddBias{bias.data()},
          StoreValue<false>{y.data(), bias.data(), shape.out_channels, pixels}, by_four(), total(), rows,
          scratch.data(), nullptr);
    };
    if (patch_moments_bytes<Policy, Tile, Window>(shape, rows.by_image) > scratch.count() * int64_t{sizeof(float)}) {
      std::printf("%-8s needs more scratch memory\n", name);
      return;
    }
    const double us = cold_us(both);
    say(std::string("convolution + statistics ") + of, us, error());
  }

  template <typename Tile>
  void groups(const char* of) const {
    const auto alone = [&] {
      return launch_conv_patch_wgmma<Tile, Window>(shape, x.data(), weight.data(),
                                                   StoreValue<true>{y.data(), bias.data(), shape.out_channels, pixels},
                                                   by_four(), scratch.data(), nullptr);
    };
    if (patch_group_moments_bytes<Tile, Window>(shape, rows.by_image) > scratch.count() * int64_t{sizeof(float)}) {
      std::printf("%-8s needs more scratch memory\n", name);
      return;
    }
    say(std::string("convolution ") + of, cold_us(alone), -1);
    cudaMemset(y.data(), 0xff, static_cast<size_t>(y.count()) * sizeof(float));
    cudaMemset(mean.data(), 0xff, static_cast<size_t>(mean.count()) * sizeof(float));
    const auto both = [&] {
      return launch_conv_patch_group_moments<Tile, Window>(
          shape, x.data(), weight.data(), AddBias{bias.data()},
          StoreValue<false>{y.data(), bias.data(), shape.out_channels, pixels}, by_four(), total(), rows,
          scratch.data(), nullptr);
    };
    const double us = cold_us(both);
    say(std::string("convolution + statistics ") + of, us, error());
  }

  template <typename Tile>
  void halves(const char* of) const {
    const auto alone = [&] {
      return launch_conv_direct_fp16<Tile, Window>(
          shape, x.data(), weight.data(),
          StoreByAxes{{y.data(), bias.data(), shape.out_channels, pixels}, shape.out_height, shape.out_width}, nullptr);
    };
    say(std::string("convolution ") + of, cold_us(alone), -1);
    cudaMemset(y.data(), 0xff, static_cast<size_t>(y.count()) * sizeof(float));
    cudaMemset(mean.data(), 0xff, static_cast<size_t>(mean.count()) * sizeof(float));
    const auto both = [&] {
      return launch_conv_direct_fp16_moments<Tile, Window>(
          shape, x.data(), weight.data(), AddBias{bias.data()},
          StoreValue<false>{y.data(), bias.data(), shape.out_channels, pixels}, by_four(), total(), rows,
          scratch.data(), nullptr);
    };
    const double us = cold_us(both);
    say(std::string("convolution + statistics ") + of, us, error());
  }

  void norms() const {
    for (const int64_t splits : {4, 12, 16}) {
      if (!rows.by_image || splits == 16) {
        const double us = cold_us([&] { return reduce(splits); });
        say("statistics in " + std::to_string(splits) + " parts", us, error());
      }
    }
    say("apply", cold_us([&] { return apply(); }), -1);
    if (!rows.by_image) {
      return;
    }
    const int64_t count = rows.count(shape);
    const int64_t columns = y.count() / count;
    const LoadRow load{y.data(), 0, pixels, columns};
    const StoreRow store{z.data(), columns};
    say("layer norm, shared 16", cold_us([&] {
          return launch_layer_norm_shared(load, store, {count, columns, by_four()}, 1e-5f, 16, scratch.data(), nullptr);
        }),
        -1);
    say("layer norm, clusters of 8", cold_us([&] {
          return launch_layer_norm_cluster<256>(load, store, {count, columns, by_four(), by_four(), 8}, 1e-5f, nullptr);
        }),
        -1);
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
  using Valid3 = ConvWindow<3, 3, 1, 1, 0, 0, 1, 1>;
  using Cube3 = ConvWindow3d<3, 3, 3, 1, 1, 1, 0, 0, 0, 1, 1, 1>;
  alarm(kMostSeconds);
  if (is_asked(count, arguments, "L2/73")) {
    const Layer<Valid3, ChannelRows> layer("L2/73", 128, 8, 1, 128, 128, 64, ChannelRows{});
    layer.tile<4, 8, 1, 6>();
    layer.tile<2, 8, 1, 3>();
    layer.norms();
  }
  if (is_asked(count, arguments, "L2/85")) {
    const Layer<Valid3, ImageRows> layer("L2/85", 128, 8, 1, 128, 128, 64, ImageRows{4});
    layer.tile<4, 8, 1, 6>();
    layer.norms();
  }
  if (is_asked(count, arguments, "L2/21")) {
    const Layer<Valid3, ImageRows> layer("L2/21", 128, 8, 1, 256, 256, 32, ImageRows{4});
    layer.tile<4, 8, 1, 4>();
    layer.halves<DirectFp16Tile<2, 1, 1, 8, 8, 1, 8, 2>>("fp16x3_32x8");
    layer.norms();
  }
  if (is_asked(count, arguments, "volume")) {
    const Layer<Cube3, ChannelRows> layer("volume", 32, 8, 16, 64, 64, 64, ChannelRows{});
    layer.tile<4, 8, 2, 4>();
    layer.norms();
  }
  using Twice = Transposed<ConvWindow3d<3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1>>;
  if (is_asked(count, arguments, "L2/72")) {
    const Layer<Twice, ChannelRows> layer("L2/72", 64, 3, 32, 32, 32, 16, ChannelRows{});
    layer.patches<Tf32, PatchTile<1, 4>>("tf32_16x32");
    layer.norms();
  }
  if (is_asked(count, arguments, "L2/15")) {
    const Layer<Twice, ChannelRows> layer("L2/15", 16, 16, 16, 32, 32, 32, ChannelRows{});
    layer.patches<Tf32, PatchTile<1, 4>>("tf32_16x32");
    layer.patches<ScaledFp16, PatchTile<1, 4>>("fp16_16x32");
    layer.norms();
  }
  if (is_asked(count, arguments, "L2/60")) {
    const Layer<Twice, ImageRows> layer("L2/60", 128, 3, 16, 32, 32, 16, ImageRows{4});
    layer.patches<Tf32, PatchTile<1, 4>>("tf32_16x32");
    layer.norms();
  }
  if (is_asked(count, arguments, "L2/52")) {
    const Layer<Valid3, ChannelRows> layer("L2/52", 64, 64, 1, 128, 128, 128, ChannelRows{});
    layer.groups<GroupTile<64, 4>>("wgmma_4x64_32");
    layer.groups<GroupTile<16, 4>>("wgmma_16x16_32");
    layer.patches<ScaledFp16, PatchTile<4, 8>>("fp16_64x64");
    layer.norms();
  }
  using Back = Transposed<ConvWindow3d<3, 3, 3, 1, 1, 1, 0, 0, 0, 1, 1, 1>>;
  if (is_asked(count, arguments, "L2/61")) {
    const Layer<Back, ImageRows> layer("L2/61", 16, 64, 32, 32, 32, 128, ImageRows{16});
    layer.groups<GroupTile<16, 4>>("wgmma_16x16_32");
    layer.groups<GroupTile<256, 4>>("wgmma_1x256_32");
    layer.norms();
  }
  return 0;
}
