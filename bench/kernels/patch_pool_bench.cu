// SPDX-License-Identifier: Apache-2.0
// Times convolutions from patches of the input whose outputs are pooled or reduced over channels where they are
// computed, on KernelBench's shapes, beside those that store everything. Each run begins with nothing of its operands
// in the L2 cache. What is left is checked against plain fp32 sums of the first and the last image.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include
//   bench/kernels/patch_pool_bench.cu
// Arguments: names of layers; none for all.
#include <algorithm>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness.cuh"
#include "kernels/conv/patch_channels.cuh"
#include "store_pixel.cuh"

namespace stitch_bench {

// Of which four blocks are on a multiprocessor.
struct DenseTile : stitch::PatchTile<1, 2> {};

}  // namespace stitch_bench

namespace stitch::patch_detail {

template <typename Policy, typename Window>
struct PatchBlocks<Policy, stitch_bench::DenseTile, Window> : PatchBlocks<Policy, PatchTile<1, 2>, Window> {
  static constexpr int count = 4;
  static constexpr int room = room_of_blocks(count);
};

}  // namespace stitch::patch_detail

namespace {

using namespace stitch;
using namespace stitch_bench;

struct Extents {
  int64_t depth;
  int64_t height;
  int64_t width;

  __host__ __device__ int64_t count() const { return depth * height * width; }
};

// Both ranks.
struct ScaleAndBias {
  const float* bias;

  __device__ float operator()(int64_t, int64_t channel, int64_t, int64_t, int64_t, float sum) const {
    return sum * 0.5f + __ldg(bias + channel);
  }
  __device__ float operator()(int64_t n, int64_t channel, int64_t y, int64_t x, float sum) const {
    return (*this)(n, channel, 0, y, x, sum);
  }
};

// Everything, scaled alike.
struct StoreScaled {
  StorePixel store;
  const float* bias;

  template <int kLanes>
  __device__ void lanes(int64_t n, int64_t channel, int64_t pixel, const Lanes<float, kLanes>& values) const {
    Lanes<float, kLanes> stored;
    for (int lane = 0; lane < kLanes; ++lane) {
      stored[lane] = values[lane] * 0.5f + __ldg(bias + channel);
    }
    store.template lanes<kLanes>(n, channel, pixel, stored);
  }
  __device__ void operator()(int64_t n, int64_t channel, int64_t pixel, float value) const {
    lanes<1>(n, channel, pixel, {value});
  }
};

struct StorePooled {
  float* y;
  int64_t channels;
  Extents pooled;

  __device__ void operator()(int64_t n, int64_t channel, int64_t out_z, int64_t out_y, int64_t out_x,
                             float value) const {
    y[(((n * channels + channel) * pooled.depth + out_z) * pooled.height + out_y) * pooled.width + out_x] = value;
  }
  __device__ void operator()(int64_t n, int64_t channel, int64_t out_y, int64_t out_x, float value) const {
    (*this)(n, channel, 0, out_y, out_x, value);
  }
};

// One value for all channels.
struct StoreReduced {
  float* y;
  Extents out;

  __device__ void operator()(int64_t n, int64_t out_z, int64_t out_y, int64_t out_x, float value) const {
    y[((n * out.depth + out_z) * out.height + out_y) * out.width + out_x] = value;
  }
  __device__ void operator()(int64_t n, int64_t out_y, int64_t out_x, float value) const {
    (*this)(n, 0, out_y, out_x, value);
  }
};

// A plain sum of an output, by the definition.
template <typename Window>
__device__ double plain_sum(const ConvShape& s, const float* x, const float* weight, int64_t n, int64_t channel,
                            int64_t z, int64_t y, int64_t x_out) {
  const auto input_of = [](int64_t out, int64_t tap, int stride, int padding, int dilation) -> int64_t {
    if (!Window::transposed) {
      return out * stride - padding + tap * dilation;
    }
    const int64_t from = out + padding - tap * dilation;
    return from >= 0 && from % stride == 0 ? from / stride : -1;
  };
  double sum = 0;
  for (int64_t k = 0; k < s.in_channels; ++k) {
    for (int tap = 0; tap < Window::taps; ++tap) {
      const int64_t in_z = input_of(z, tap / (Window::kernel_x * Window::kernel_y), Window::stride_z, Window::padding_z,
                                    Window::dilation_z);
      const int64_t in_y = input_of(y, tap / Window::kernel_x % Window::kernel_y, Window::stride_y, Window::padding_y,
                                    Window::dilation_y);
      const int64_t in_x =
          input_of(x_out, tap % Window::kernel_x, Window::stride_x, Window::padding_x, Window::dilation_x);
      if (in_z >= 0 && in_z < s.depth && in_y >= 0 && in_y < s.height && in_x >= 0 && in_x < s.width) {
        const int64_t of_weight = Window::transposed ? k * s.out_channels + channel : channel * s.in_channels + k;
        sum += double{x[(((n * s.in_channels + k) * s.depth + in_z) * s.height + in_y) * s.width + in_x]} *
               weight[of_weight * Window::taps + tap];
      }
    }
  }
  return sum;
}

// kKind of a reduction: what a window or all channels leave.
enum class Kind { kLargest, kSmallest, kMean, kLogSumExp };

struct PoolOf {
  int64_t channels;  // that are joined
  Extents window;
  Extents pooled;
  int64_t outputs;  // of an image
};

// One image's results. A thread makes one.
template <typename Window>
__global__ void reference_kernel(ConvShape s, const float* x, const float* weight, ScaleAndBias element, PoolOf pool,
                                 Kind kind, int64_t n, float* y) {
  const int64_t number = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (number >= pool.outputs) {
    return;
  }
  const int64_t out_x = number % pool.pooled.width;
  const int64_t out_y = number / pool.pooled.width % pool.pooled.height;
  const int64_t out_z = number / pool.pooled.width / pool.pooled.height % pool.pooled.depth;
  const int64_t channel = number / pool.pooled.count() * pool.channels;
  const int64_t count = pool.channels * pool.window.count();
  double joined = kind == Kind::kLargest ? -INFINITY : kind == Kind::kSmallest ? INFINITY : 0.0;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t in = k % pool.window.count();
    const int64_t own = channel + k / pool.window.count();
    const double value =
        element(n, own, 0, 0, 0,
                static_cast<float>(plain_sum<Window>(
                    s, x, weight, n, own, out_z * pool.window.depth + in / (pool.window.height * pool.window.width),
                    out_y * pool.window.height + in / pool.window.width % pool.window.height,
                    out_x * pool.window.width + in % pool.window.width)));
    joined = kind == Kind::kLargest    ? fmax(joined, value)
             : kind == Kind::kSmallest ? fmin(joined, value)
             : kind == Kind::kMean     ? joined + value / static_cast<double>(count)
                                       : joined + exp(value);
  }
  y[number] = static_cast<float>(kind == Kind::kLogSumExp ? log(joined) : joined);
}

__global__ void compare_kernel(const float* a, const float* b, int64_t count, float* greatest) {
  float difference = 0;
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < count; i += int64_t{gridDim.x} * blockDim.x) {
    const float one = fabsf(a[i] - b[i]);
    difference = one <= difference ? difference : one;  // a NaN stays
  }
  atomicMax(reinterpret_cast<int*>(greatest), __float_as_int(difference));
}

template <typename Policy>
constexpr const char* kPolicyName = std::is_same_v<Policy, Tf32> ? "tf32" : "fp16";

template <typename Window>
struct Layer {
  const char* name;
  ConvShape shape;
  Buffer x;
  Buffer weight;
  Buffer bias;

  static int64_t out_extent(int64_t extent, int kernel, int stride, int padding, int dilation, int64_t more) {
    const int64_t reach = dilation * (kernel - 1) + 1;
    return Window::transposed ? (extent - 1) * stride - 2 * padding + reach + (stride > 1 ? more : 0)
                              : (extent + 2 * padding - reach) / stride + 1;
  }

  Layer(const char* name, int64_t batch, int64_t in, const Extents& e, int64_t out, int64_t more = 0)
      : name(name),
        shape{batch,
              in,
              e.height,
              e.width,
              out,
              out_extent(e.height, Window::kernel_y, Window::stride_y, Window::padding_y, Window::dilation_y, more),
              out_extent(e.width, Window::kernel_x, Window::stride_x, Window::padding_x, Window::dilation_x, more),
              1,
              e.depth,
              out_extent(e.depth, Window::kernel_z, Window::stride_z, Window::padding_z, Window::dilation_z, more)},
        x(batch * in * e.count(), 1),
        weight(in * out * Window::taps, 2),
        bias(out, 3) {}

  Extents out() const { return {shape.out_depth, shape.out_height, shape.out_width}; }

  template <typename Policy, typename Tile, typename Run>
  int64_t scratch_floats() const {
    return patch_detail::PatchScratch<Policy, Run>(shape, Tile::tiles_m).bytes / static_cast<int64_t>(sizeof(float));
  }

  void report(const char* what, const char* policy, int channels, int columns, int across, double elapsed_us,
              int64_t written, double difference) const {
    const double bytes = 4.0 * static_cast<double>(x.count() + weight.count() + written);
    std::printf("%-8s %-22s %-5s %3dx%-2d %d %9.1f us %7.0f GB/s (%.0f MB)  differs %.2e\n", name, what, policy,
                channels, columns, across, elapsed_us, bytes / elapsed_us / 1e3, bytes / 1e6, difference);
    std::fflush(stdout);
  }

  // Of the first and the last image.
  double difference(const Buffer& y, const PoolOf& pool, Kind kind) const {
    const Buffer want(pool.outputs);
    const Buffer greatest(1);
    cudaMemset(greatest.data(), 0, sizeof(float));
    for (const int64_t n : {int64_t{0}, shape.batch - 1}) {
      reference_kernel<Window><<<static_cast<unsigned>((pool.outputs + 127) / 128), 128>>>(
          shape, x.data(), weight.data(), ScaleAndBias{bias.data()}, pool, kind, n, want.data());
      compare_kernel<<<256, 256>>>(y.data() + n * pool.outputs, want.data(), pool.outputs, greatest.data());
    }
    return greatest.values()[0];
  }

  template <typename Policy, typename Tile, typename Run = Window>
  void plain(const char* what) const {
    const Buffer scratch(scratch_floats<Policy, Tile, Run>());
    const int64_t pixels = out().count();
    const Buffer y(shape.batch * shape.out_channels * pixels);
    cudaMemset(y.data(), 0xff, static_cast<std::size_t>(y.count()) * sizeof(float));
    const StoreScaled store{{y.data(), shape.out_channels, pixels}, bias.data()};
    const double elapsed_us = cold_us([&] {
      return launch_conv_patch_mma<Policy, Tile, Run>(shape, x.data(), weight.data(), store, pixels % 4 == 0,
                                                      scratch.data(), nullptr);
    });
    report(what, kPolicyName<Policy>, Tile::channels, Tile::columns, Tile::across, elapsed_us, y.count(),
           difference(y, {1, {1, 1, 1}, out(), shape.out_channels * pixels}, Kind::kLargest));
  }

  template <typename Policy, typename Tile, typename Join, int kDepth, int kHeight, int kWidth, typename Run = Window>
  void windows(const char* what) const {
    const Buffer scratch(scratch_floats<Policy, Tile, Run>());
    const Extents pooled{shape.out_depth / kDepth, shape.out_height / kHeight, shape.out_width / kWidth};
    const Buffer y(shape.batch * shape.out_channels * pooled.count());
    cudaMemset(y.data(), 0xff, static_cast<std::size_t>(y.count()) * sizeof(float));
    const StorePooled store{y.data(), shape.out_channels, pooled};
    const double elapsed_us = cold_us([&] {
      return launch_conv_patch_pool<Policy, Tile, Run, Join, kDepth, kHeight, kWidth>(
          shape, x.data(), weight.data(), ScaleAndBias{bias.data()}, store,
          PooledExtents{pooled.depth, pooled.height, pooled.width}, kDepth * kHeight * kWidth, scratch.data(), nullptr);
    });
    report(what, kPolicyName<Policy>, Tile::channels, Tile::columns, Tile::across, elapsed_us, y.count(),
           difference(y, {1, {kDepth, kHeight, kWidth}, pooled, shape.out_channels * pooled.count()},
                      std::is_same_v<Join, MeanOfWindow> ? Kind::kMean : Kind::kLargest));
  }

  template <typename Policy, typename Tile, typename Join, typename Run = Window>
  void channels(const char* what) const {
    const Buffer scratch(scratch_floats<Policy, Tile, Run>());
    const Buffer y(shape.batch * out().count());
    cudaMemset(y.data(), 0xff, static_cast<std::size_t>(y.count()) * sizeof(float));
    const double elapsed_us = cold_us([&] {
      return launch_conv_patch_channels<Policy, Tile, Run, Join>(
          shape, x.data(), weight.data(), ScaleAndBias{bias.data()}, StoreReduced{y.data(), out()},
          static_cast<float>(shape.out_channels), scratch.data(), nullptr);
    });
    const Kind kind = std::is_same_v<Join, LogSumExpOfChannels>  ? Kind::kLogSumExp
                      : std::is_same_v<Join, SmallestOfChannels> ? Kind::kSmallest
                      : std::is_same_v<Join, MeanOfChannels>     ? Kind::kMean
                                                                 : Kind::kLargest;
    report(what, kPolicyName<Policy>, Tile::channels, Tile::columns, Tile::across, elapsed_us, y.count(),
           difference(y, {shape.out_channels, {1, 1, 1}, out(), out().count()}, kind));
  }

  // Of more channels than the tile has.
  template <typename Policy, typename Tile, typename Join>
  void channel_parts(const char* what) const {
    const Buffer scratch(scratch_floats<Policy, Tile, Window>());
    const Buffer parts(ceil_divide(shape.out_channels, Tile::channels) * shape.batch * out().count());
    const Buffer y(shape.batch * out().count());
    cudaMemset(y.data(), 0xff, static_cast<std::size_t>(y.count()) * sizeof(float));
    const double elapsed_us = cold_us([&] {
      return launch_conv_patch_channel_parts<Policy, Tile, Window, Join>(
          shape, x.data(), weight.data(), ScaleAndBias{bias.data()}, StoreReduced{y.data(), out()}, 1.0f,
          scratch.data(), parts.data(), nullptr);
    });
    report(what, kPolicyName<Policy>, Tile::channels, Tile::columns, Tile::across, elapsed_us, y.count(),
           difference(y, {shape.out_channels, {1, 1, 1}, out(), out().count()}, Kind::kSmallest));
  }
};

// Empty for all.
std::vector<std::string_view> wanted;

bool is_wanted(std::string_view name) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

using Narrow = PatchTile<1, 4>;
using Thin = PatchTile<1, 2>;
using Cube2 = Transposed<ConvWindow3d<3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1>>;

template <typename Policy, typename Window, typename... Tiles>
void time_stores(const Layer<Window>& layer) {
  (layer.template plain<Policy, Tiles>("stores all"), ...);
}

template <typename Policy, typename Window, typename... Tiles>
void time_cubes(const Layer<Window>& layer) {
  (layer.template windows<Policy, Tiles, LargestOfWindow, 2, 2, 2>("max 2x2x2"), ...);
}

void time_transposed() {
  if (is_wanted("L2/96")) {
    const Layer<Cube2> layer("L2/96", 128, 3, {16, 32, 32}, 16);
    time_stores<Tf32, Cube2, Narrow, Thin, DenseTile>(layer);
    time_cubes<Tf32, Cube2, Narrow, Thin, DenseTile>(layer);
    layer.windows<Tf32, DenseTile, MeanOfWindow, 2, 2, 2>("mean 2x2x2");
  }
  if (is_wanted("L2/58")) {
    const Layer<Cube2> layer("L2/58", 128, 3, {16, 32, 32}, 16);
    layer.channels<Tf32, Narrow, LogSumExpOfChannels>("logsumexp of channels");
    layer.channels<Tf32, Thin, LogSumExpOfChannels>("logsumexp of channels");
    layer.channels<Tf32, DenseTile, LogSumExpOfChannels>("logsumexp of channels");
    layer.channels<Tf32, DenseTile, LargestOfChannels>("max of channels");
  }
  if (is_wanted("L2/89")) {
    const Layer<Cube2> layer("L2/89", 128, 3, {16, 32, 32}, 16, 1);
    time_stores<Tf32, Cube2, Narrow, Thin, DenseTile>(layer);
    time_cubes<Tf32, Cube2, Narrow, Thin, DenseTile>(layer);
  }
  if (is_wanted("L2/74")) {
    const Layer<Cube2> layer("L2/74", 16, 16, {16, 32, 32}, 32, 1);
    time_stores<ScaledFp16, Cube2, Narrow, Thin, DenseTile>(layer);
    time_cubes<Tf32, Cube2, Narrow, Thin, DenseTile>(layer);
    time_cubes<ScaledFp16, Cube2, Narrow, Thin, DenseTile>(layer);
  }
}

template <typename Policy, typename Window, typename... Tiles>
void time_smallest(const Layer<Window>& layer) {
  (layer.template channels<Policy, Tiles, SmallestOfChannels>("min of channels"), ...);
}

template <typename Policy, typename Window, typename... Tiles>
void time_smallest_parts(const Layer<Window>& layer) {
  (layer.template channel_parts<Policy, Tiles, SmallestOfChannels>("min of channels, parts"), ...);
}

void time_channels() {
  using Square2 = Transposed<ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>>;
  if (is_wanted("L2/36")) {
    const Layer<Square2> layer("L2/36", 16, 64, {1, 128, 128}, 128, 1);
    layer.plain<ScaledFp16, PatchTile<2, 4>>("stores all");
    time_smallest_parts<ScaledFp16, Square2, PatchTile<2, 4>, PatchTile<1, 8>, PatchTile<1, 4>>(layer);
    time_smallest_parts<Tf32, Square2, PatchTile<2, 4>>(layer);
  }
  using Valid = ConvWindow<3, 3, 1, 1, 0, 0, 1, 1>;
  using Square = PatchTile<4, 8>;
  using Pair = PatchTile<4, 8, 2>;
  if (is_wanted("L2/25")) {
    const Layer<Valid> layer("L2/25", 128, 16, {1, 256, 256}, 64);
    layer.plain<Tf32, Square>("stores all");
    layer.plain<ScaledFp16, Square>("stores all");
    time_smallest<Tf32, Valid, Square, Pair, PatchTile<4, 4>>(layer);
    time_smallest<ScaledFp16, Valid, Square, Pair, PatchTile<4, 4>>(layer);
    layer.channels<ScaledFp16, PatchTile<4, 4>, SmallestOfChannels, Stacked<Valid, 1, 2>>("min, two rows");
    layer.channels<Tf32, PatchTile<4, 4>, SmallestOfChannels, Stacked<Valid, 1, 2>>("min, two rows");
  }
  if (is_wanted("L2/32")) {
    const Layer<Valid> layer("L2/32", 64, 64, {1, 256, 256}, 128);
    layer.plain<ScaledFp16, Square>("stores all");
    time_smallest<ScaledFp16, Valid, PatchTile<8, 4>, PatchTile<8, 4, 2>>(layer);
    time_smallest<Tf32, Valid, PatchTile<8, 4>>(layer);
    time_smallest_parts<ScaledFp16, Valid, Square, Pair, PatchTile<4, 4>>(layer);
  }
}

void time_stacked() {
  using Cube = ConvWindow3d<3, 3, 3, 1, 1, 1, 0, 0, 0, 1, 1, 1>;
  using Same = ConvWindow3d<3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1>;
  using Square1 = Transposed<ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>>;
  if (is_wanted("L2/8")) {
    const Layer<Cube> layer("L2/8", 128, 8, {16, 64, 64}, 16);
    using Deep = Stacked<Cube, 2, 2>;
    layer.plain<Tf32, PatchTile<1, 8>>("stores all");
    layer.plain<ScaledFp16, Narrow, Folded<Deep, 2>>("stores all, stacked");
    layer.plain<ScaledFp16, PatchTile<1, 8>, Folded<Cube, 2>>("stores all");
    layer.plain<ScaledFp16, PatchTile<1, 8>, Folded<Deep, 2>>("stores all, stacked");
    layer.windows<Tf32, PatchTile<1, 8>, LargestOfWindow, 2, 2, 2, Deep>("max 2x2x2");
    layer.windows<ScaledFp16, PatchTile<1, 8>, LargestOfWindow, 2, 2, 2, Folded<Deep, 2>>("max 2x2x2");
    layer.windows<ScaledFp16, Narrow, LargestOfWindow, 2, 2, 2, Folded<Deep, 2>>("max 2x2x2");
  }
  if (is_wanted("L2/43")) {
    const Layer<Same> layer("L2/43", 4, 32, {32, 128, 128}, 64);
    using Deep = Stacked<Same, 2, 2>;
    layer.plain<Tf32, PatchTile<4, 8>>("stores all");
    layer.plain<ScaledFp16, PatchTile<4, 8>>("stores all");
    layer.windows<Tf32, PatchTile<2, 4>, LargestOfWindow, 2, 2, 2, Deep>("max 2x2x2");
    layer.windows<ScaledFp16, PatchTile<2, 4>, LargestOfWindow, 2, 2, 2, Deep>("max 2x2x2");
    layer.windows<ScaledFp16, PatchTile<1, 4>, LargestOfWindow, 2, 2, 2, Deep>("max 2x2x2");
  }
  if (is_wanted("L2/10")) {
    const Layer<Square1> layer("L2/10", 128, 64, {1, 256, 256}, 64);
    using Down = Stacked<Square1, 1, 2>;
    layer.plain<ScaledFp16, PatchTile<4, 8>>("stores all");
    layer.windows<Tf32, PatchTile<4, 4>, LargestOfWindow, 1, 2, 2, Down>("max 2x2");
    layer.windows<ScaledFp16, PatchTile<4, 4>, LargestOfWindow, 1, 2, 2, Down>("max 2x2");
    layer.windows<ScaledFp16, PatchTile<2, 8>, LargestOfWindow, 1, 2, 2, Down>("max 2x2");
  }
}

}  // namespace

int main(int count, char** names) {
  wanted.assign(names + 1, names + count);
  time_transposed();
  time_channels();
  time_stacked();
  return 0;
}
