// SPDX-License-Identifier: Apache-2.0
// Times convolutions from patches of the input on KernelBench's shapes, beside tiles of an implicit product, from whose
// outputs theirs must not differ.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include
//   bench/kernels/patch_bench.cu
// Arguments: names of layers; none for all.
#include <algorithm>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness.cuh"
#include "kernels/conv/implicit_gemm_mma.cuh"
#include "kernels/conv/patch_mma.cuh"
#include "store_pixel.cuh"

namespace {

using namespace stitch;
using namespace stitch_bench;

struct StoreOutput {
  float* y;
  ConvShape shape;

  __device__ void operator()(int64_t n, int64_t channel, int64_t out_z, int64_t out_y, int64_t out_x,
                             float value) const {
    const int64_t plane = (n * shape.out_channels + channel) * shape.out_depth + out_z;
    y[(plane * shape.out_height + out_y) * shape.out_width + out_x] = value;
  }
  __device__ void operator()(int64_t n, int64_t channel, int64_t out_y, int64_t out_x, float value) const {
    (*this)(n, channel, 0, out_y, out_x, value);
  }
};

__global__ void compare_kernel(const float* a, const float* b, int64_t count, float* greatest) {
  float difference = 0;
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < count; i += int64_t{gridDim.x} * blockDim.x) {
    const float one = fabsf(a[i] - b[i]);
    difference = one <= difference ? difference : one;  // a NaN stays
  }
  atomicMax(reinterpret_cast<int*>(greatest), __float_as_int(difference));
}

struct Extents {
  int64_t depth;
  int64_t height;
  int64_t width;
};

template <typename Window>
struct Layer {
  const char* name;
  ConvShape shape;
  Buffer x;
  Buffer weight;
  Buffer y;
  Buffer other;
  double flops;

  static int64_t out_extent(int64_t extent, int kernel, int stride, int padding, int dilation, int64_t more) {
    const int64_t reach = dilation * (kernel - 1) + 1;
    return Window::transposed ? (extent - 1) * stride - 2 * padding + reach + (stride > 1 ? more : 0)
                              : (extent + 2 * padding - reach) / stride + 1;
  }

  static ConvShape shape_of(int64_t batch, int64_t in, const Extents& e, int64_t out, int64_t groups, int64_t more) {
    return {batch,
            in,
            e.height,
            e.width,
            out,
            out_extent(e.height, Window::kernel_y, Window::stride_y, Window::padding_y, Window::dilation_y, more),
            out_extent(e.width, Window::kernel_x, Window::stride_x, Window::padding_x, Window::dilation_x, more),
            groups,
            e.depth,
            out_extent(e.depth, Window::kernel_z, Window::stride_z, Window::padding_z, Window::dilation_z, more)};
  }

  int64_t outputs() const {
    return shape.batch * shape.out_channels * shape.out_depth * shape.out_height * shape.out_width;
  }

  Layer(const char* name, int64_t batch, int64_t in, const Extents& e, int64_t out, int64_t groups = 1,
        int64_t more = 0)
      : name(name),
        shape(shape_of(batch, in, e, out, groups, more)),
        x(batch * in * e.depth * e.height * e.width, 1),
        weight(in * out / groups * Window::taps, 2),
        y(outputs(), 3),
        other(outputs(), 4) {
    const double places = static_cast<double>(Window::transposed ? x.count() / in : y.count() / out);
    flops = 2.0 * places * static_cast<double>(weight.count());
  }

  double difference() const {
    Buffer greatest(1);
    cudaMemset(greatest.data(), 0, sizeof(float));
    compare_kernel<<<1024, 256>>>(y.data(), other.data(), y.count(), greatest.data());
    return greatest.values()[0];
  }

  template <typename Policy, typename Tile, int kFold = 1>
  void patch(const char* policy) const {
    using Run = typename std::conditional_t<kFold == 1, std::type_identity<Window>,
                                            std::type_identity<Folded<Window, kFold>>>::type;
    using Memory = patch_detail::PatchMemory<Policy, Tile, Run>;
    const patch_detail::PatchScratch<Policy, Run> layout(shape, Tile::tiles_m);
    const Buffer scratch(layout.bytes / static_cast<int64_t>(sizeof(float)));
    cudaMemset(y.data(), 0xff, static_cast<std::size_t>(y.count()) * sizeof(float));
    const double elapsed_us = median_us([&] {
      const int64_t pixels = shape.out_depth * shape.out_height * shape.out_width;
      const StorePixel store{y.data(), shape.out_channels, pixels};
      return launch_conv_patch_mma<Policy, Tile, Run>(shape, x.data(), weight.data(), store, pixels % 4 == 0,
                                                      scratch.data(), nullptr);
    });
    std::printf("%-10s patch %-7s %2dx%-3d %9.1f us %7.1f TFLOP/s  differs %.2e  %d KB\n", name, policy, Tile::channels,
                Tile::columns * Tile::across, elapsed_us, flops / elapsed_us / 1e6, difference(),
                Memory::shared_bytes(layout.tiles.slices) >> 10);
    std::fflush(stdout);
  }

  template <typename Policy, typename Tile>
  void tiles() const {
    const double elapsed_us = median_us([&] {
      return launch_conv_mma<Policy, Tile, Window>(shape, x.data(), weight.data(), StoreOutput{other.data(), shape},
                                                   nullptr);
    });
    std::printf("%-10s tiles %-14s %9.1f us %7.1f TFLOP/s  writing %.1f us\n", name, "", elapsed_us,
                flops / elapsed_us / 1e6, 4.0 * static_cast<double>(y.count()) / 4.2e6);
    std::fflush(stdout);
  }
};

// Empty for all.
std::vector<std::string_view> wanted;

bool is_wanted(std::string_view name) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

// Tiles, then patches of TF32 and of fp16, kFold taps at a time.
template <typename Window, typename MmaTile, int kFold, typename... Tiles, typename... Numbers>
void time_rounded(const char* name, int64_t batch, int64_t in, const Extents& extents, Numbers... others) {
  if (!is_wanted(name)) {
    return;
  }
  const Layer<Window> layer(name, batch, in, extents, others...);
  layer.template tiles<Tf32, MmaTile>();
  (layer.template patch<Tf32, Tiles>("tf32"), ...);
  (layer.template patch<ScaledFp16, Tiles, kFold>("fp16"), ...);
}

template <typename Window, typename MmaTile, typename... Tiles, typename... Numbers>
void time_exact(const char* name, int64_t batch, int64_t in, const Extents& extents, Numbers... others) {
  if (!is_wanted(name)) {
    return;
  }
  const Layer<Window> layer(name, batch, in, extents, others...);
  layer.template tiles<Tf32x3, MmaTile>();
  (layer.template patch<Tf32x3, Tiles>("tf32x3"), ...);
}

using Narrow = PatchTile<1, 4>;
using Square = PatchTile<4, 8>;

// Transposed, with phases.
void time_strided() {
  using Square2 = Transposed<ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>>;
  using Cube2 = Transposed<ConvWindow3d<3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1>>;
  using Odd2 = Transposed<ConvWindow3d<3, 5, 7, 2, 2, 2, 1, 2, 3, 1, 1, 1>>;
  using Spread = Transposed<ConvWindow<3, 5, 2, 3, 1, 2, 2, 1>>;
  using Dilated = Transposed<ConvWindow3d<3, 3, 3, 2, 2, 2, 1, 1, 1, 2, 2, 2>>;
  time_rounded<Square2, MmaTileMedium, 1, PatchTile<2, 4>, PatchTile<1, 8>, Narrow>("L2/2", 128, 64, {1, 128, 128}, 64,
                                                                                    1, 1);
  time_rounded<Cube2, MmaTileSmall, 1, Narrow>("L2/58", 128, 3, {16, 32, 32}, 16);
  time_rounded<Cube2, MmaTileSmall, 1, Narrow>("L2/3", 32, 32, {16, 32, 32}, 64, 1, 1);
  time_rounded<Cube2, MmaTileSmall, 1, Narrow>("L2/100", 16, 64, {24, 48, 48}, 128);
  time_exact<Odd2, MmaTileSmall, Narrow>("L1/72", 8, 32, {12, 24, 48}, 32, 4, 1);
  time_exact<Spread, MmaTileSmall, Narrow>("L1/75", 16, 32, {1, 128, 256}, 64, 4);
  time_rounded<Dilated, MmaTileMedium, 1, Narrow>("L1/77", 16, 32, {16, 32, 32}, 64);
}

// Transposed, of stride one.
void time_transposed() {
  using Square1 = Transposed<ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>>;
  using Cube1 = Transposed<ConvWindow3d<3, 3, 3, 1, 1, 1, 0, 0, 0, 1, 1, 1>>;
  using Odd1 = Transposed<ConvWindow3d<3, 5, 7, 1, 1, 1, 0, 0, 0, 1, 1, 1>>;
  using Five1 = Transposed<ConvWindow3d<3, 5, 5, 1, 1, 1, 0, 0, 0, 1, 1, 1>>;
  using Row = Transposed<ConvWindow<1, 5, 1, 1, 0, 0, 1, 1>>;
  time_rounded<Odd1, MmaTileSmall, 1, Narrow, PatchTile<1, 8>>("L1/58", 16, 32, {16, 32, 64}, 16);
  time_rounded<Cube1, MmaTileSmall, 1, PatchTile<3, 8>>("L1/61", 8, 48, {64, 64, 64}, 48);
  time_rounded<Five1, MmaTileMedium, 1, PatchTile<4, 4>>("L1/68", 16, 32, {64, 64, 64}, 64);
  time_rounded<Square1, MmaTileMedium, 1, Square, PatchTile<4, 8, 2>>("L2/10", 128, 64, {1, 256, 256}, 64);
  time_rounded<Row, MmaTileMedium, 1, PatchTile<4, 8, 1>>("L1/74", 32, 32, {1, 1, 131072}, 64);
}

// As they are.
void time_forward() {
  using Same = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
  using Valid = ConvWindow<3, 3, 1, 1, 0, 0, 1, 1>;
  using Strided = ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>;
  using Cube = ConvWindow3d<3, 3, 3, 1, 1, 1, 0, 0, 0, 1, 1, 1>;
  using Eleven = ConvWindow<11, 11, 4, 4, 2, 2, 1, 1>;
  time_rounded<Valid, MmaTileLarge, 1, Square, PatchTile<4, 8, 2>, PatchTile<4, 8, 1>, PatchTile<2, 8, 2>>(
      "L1/63", 16, 16, {1, 1024, 1024}, 128);
  time_rounded<Valid, MmaTileMedium, 1, Square, PatchTile<4, 8, 2>, PatchTile<2, 8>>("L2/25", 128, 16, {1, 256, 256},
                                                                                     64);
  time_rounded<Valid, MmaTileMedium, 1, Square, PatchTile<4, 8, 2>>("L2/4", 64, 64, {1, 256, 256}, 128);
  time_rounded<Cube, MmaTileSmall, 2, PatchTile<1, 8>, Narrow>("L2/8", 128, 8, {16, 64, 64}, 16);
  time_rounded<Cube, MmaTileSmall, 4, PatchTile<1, 8>, Narrow>("L1/60", 16, 3, {64, 64, 64}, 16);
  time_rounded<Eleven, MmaTileMedium, 4, PatchTile<4, 4>, PatchTile<2, 4>>("L1/50", 256, 3, {1, 224, 224}, 96);
  time_rounded<Same, MmaTileMedium, 4, Square, PatchTile<2, 8>, PatchTile<2, 4>>("vgg", 32, 3, {1, 224, 224}, 64);
  time_rounded<Same, MmaTileMedium, 1, Square, PatchTile<4, 4>>("resnet", 64, 64, {1, 56, 56}, 64);
  time_rounded<Same, MmaTileMedium, 1, PatchTile<4, 4>, PatchTile<2, 4>>("resnet28", 64, 128, {1, 28, 28}, 128);
  time_rounded<Same, MmaTileMedium, 1, PatchTile<4, 4>, PatchTile<2, 4>>("resnet14", 64, 256, {1, 14, 14}, 256);
  time_rounded<Strided, MmaTileMedium, 1, PatchTile<4, 4>, Square>("strided", 64, 64, {1, 56, 56}, 128);
}

}  // namespace

int main(int count, char** names) {
  wanted.assign(names + 1, names + count);
  time_strided();
  time_transposed();
  time_forward();
  return 0;
}
