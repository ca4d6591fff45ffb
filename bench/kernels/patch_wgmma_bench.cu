// SPDX-License-Identifier: Apache-2.0
// Times convolutions from patches by wgmma, launch by launch, beside the same by mma.sync, from whose outputs theirs
// must not differ.
//   nvcc -O3 -std=c++20 -gencode=arch=compute_90a,code=sm_90a -I runtime -I runtime/include
//   bench/kernels/patch_wgmma_bench.cu
// Arguments: names of layers; none for all.
#include <algorithm>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness.cuh"
#include "kernels/conv/patch_mma.cuh"
#include "kernels/conv/patch_wgmma.cuh"
#include "store_pixel.cuh"

namespace {

using namespace stitch;
using namespace stitch_bench;

__global__ void compare_kernel(const float* a, const float* b, int64_t count, float* greatest) {
  float difference = 0;
  float size = 0;
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < count; i += int64_t{gridDim.x} * blockDim.x) {
    const float one = fabsf(a[i] - b[i]);
    difference = one <= difference ? difference : one;  // a NaN stays
    size = fmaxf(size, fabsf(b[i]));
  }
  atomicMax(reinterpret_cast<int*>(greatest), __float_as_int(difference));
  atomicMax(reinterpret_cast<int*>(greatest + 1), __float_as_int(size));
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

  // `more`: output padding.
  static int64_t out_extent(int64_t extent, int kernel, int stride, int padding, int dilation, int more) {
    const int64_t reach = dilation * (kernel - 1) + 1;
    return Window::transposed ? (extent - 1) * stride - 2 * padding + reach + (stride > 1 ? more : 0)
                              : (extent + 2 * padding - reach) / stride + 1;
  }
  static ConvShape shape_of(int64_t batch, int64_t in, const Extents& e, int64_t out, int more) {
    return {batch,
            in,
            e.height,
            e.width,
            out,
            out_extent(e.height, Window::kernel_y, Window::stride_y, Window::padding_y, Window::dilation_y, more),
            out_extent(e.width, Window::kernel_x, Window::stride_x, Window::padding_x, Window::dilation_x, more),
            1,
            e.depth,
            out_extent(e.depth, Window::kernel_z, Window::stride_z, Window::padding_z, Window::dilation_z, more)};
  }
  int64_t pixels() const { return shape.out_depth * shape.out_height * shape.out_width; }
  StorePixel store(const Buffer& to) const { return {to.data(), shape.out_channels, pixels()}; }
  double rate(double elapsed_us) const { return flops / elapsed_us / 1e6; }

  Layer(const char* name, int64_t batch, int64_t in, const Extents& e, int64_t out, int more)
      : name(name),
        shape(shape_of(batch, in, e, out, more)),
        x(batch * in * e.depth * e.height * e.width, 1),
        weight(in * out * Window::taps, 2),
        y(batch * out * pixels(), 3),
        other(batch * out * pixels(), 4) {
    const double places = static_cast<double>(Window::transposed ? x.count() / in : y.count() / out);
    flops = 2.0 * places * static_cast<double>(weight.count());
  }

  // Relative to the largest output.
  double difference() const {
    Buffer greatest(2);
    cudaMemset(greatest.data(), 0, 2 * sizeof(float));
    compare_kernel<<<1024, 256>>>(y.data(), other.data(), y.count(), greatest.data());
    const std::vector<float> values = greatest.values();
    return static_cast<double>(values[0]) / static_cast<double>(values[1]);
  }

  template <typename Tile>
  void by_warps() const {
    const patch_detail::PatchScratch<ScaledFp16, Window> layout(shape, Tile::tiles_m);
    const Buffer scratch(layout.bytes / static_cast<int64_t>(sizeof(float)));
    const double elapsed_us = median_us([&] {
      return launch_conv_patch_mma<ScaledFp16, Tile, Window>(shape, x.data(), weight.data(), store(other),
                                                             pixels() % 4 == 0, scratch.data(), nullptr);
    });
    std::printf("%-10s mma.sync %2dx%-3d whole %9.1f us %7.1f TFLOP/s\n", name, Tile::channels,
                Tile::columns * Tile::across, elapsed_us, rate(elapsed_us));
    std::fflush(stdout);
  }

  template <typename Tile>
  void by_groups() const {
    using Patch = patch_detail::GroupPatch<Tile, Window>;
    const patch_detail::GroupScratch<Tile, Window> layout(shape);
    const Buffer scratch(layout.bytes / static_cast<int64_t>(sizeof(float)) + 4);
    cudaMemset(y.data(), 0xff, static_cast<std::size_t>(y.count()) * sizeof(float));
    const bool by_four = pixels() % 4 == 0;
    const double whole_us = median_us([&] {
      return launch_conv_patch_wgmma<Tile, Window>(shape, x.data(), weight.data(), store(y), by_four, scratch.data(),
                                                   nullptr);
    });
    const double differs = difference();
    auto* const memory = reinterpret_cast<unsigned char*>(scratch.data());
    auto* const unscale = reinterpret_cast<float*>(memory + layout.unscale_at);
    auto* const ranges = reinterpret_cast<patch_detail::ImageRange*>(memory + layout.ranges_at);
    auto* const arranged = reinterpret_cast<uint4*>(memory);
    auto* const eights = reinterpret_cast<uint4*>(memory + layout.eights_at);
    const double scale_us = median_us([&] {
      return patch_detail::launch_scale<Window>(shape, layout.weights.tiles, x.data(), weight.data(), unscale, ranges,
                                                nullptr);
    });
    const double pack_us = median_us(
        [&] { return patch_detail::launch_pack_eights(shape, layout.planes, x.data(), eights, ranges, nullptr); });
    const auto pack_by = [&](auto runs) {
      return median_us([&] {
        return patch_detail::launch_pack_eights_by<runs()>(shape, layout.planes, x.data(), eights, ranges, nullptr);
      });
    };
    std::printf("%-10s pack by 4 %.1f, 8 %.1f, 16 %.1f us\n", name, pack_by(std::integral_constant<int, 4>{}),
                pack_by(std::integral_constant<int, 8>{}), pack_by(std::integral_constant<int, 16>{}));
    const double arrange_us = median_us([&] {
      return patch_detail::launch_arrange_eights(shape, layout.weights, weight.data(), unscale, arranged, nullptr);
    });
    const patch_detail::PatchFinish<StorePixel> finish{shape,
                                                       x.data(),
                                                       weight.data(),
                                                       store(y),
                                                       static_cast<int>(shape.in_channels),
                                                       static_cast<int>(shape.out_channels),
                                                       by_four && shape.out_width % 4 == 0,
                                                       by_four && shape.out_width % 2 == 0};
    const bool is_staged = patch_detail::group_store<Tile, Window>(finish) == patch_detail::GroupStore::kByLines;
    const double main_us = median_us([&] {
      return patch_detail::launch_groups(shape, layout.weights, layout.planes, {arranged, eights, {unscale, ranges}},
                                         finish, patch_detail::kBlocksAtOnce, nullptr);
    });
    std::printf(
        "%-10s wgmma %3dx%-3d planes %d  scale %6.1f  pack %7.1f  weights %6.1f  main %8.1f us %6.1f TFLOP/s  whole "
        "%8.1f us %6.1f TFLOP/s  differs %.1e  %d stages of %d%s\n",
        name, Tile::width, Tile::height, Tile::planes, scale_us, pack_us, arrange_us, main_us, rate(main_us), whole_us,
        rate(whole_us), differs, Patch::stages(layout.weights.stages(), is_staged),
        static_cast<int>(layout.weights.stages()), is_staged ? ", stored by lines" : "");
    std::fflush(stdout);
  }
};

// Empty for all.
std::vector<std::string_view> wanted;

template <typename Window, typename Warps, typename... Tiles>
void time_layer(const char* name, int64_t batch, int64_t in, const Extents& extents, int64_t out, int more = 0) {
  if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) {
    return;
  }
  const Layer<Window> layer(name, batch, in, extents, out, more);
  layer.template by_warps<Warps>();
  (layer.template by_groups<Tiles>(), ...);
}

using Same = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
using Inside = ConvWindow<3, 3, 1, 1, 0, 0, 1, 1>;
using Square1 = Transposed<Same>;
using Five = ConvWindow<5, 5, 1, 1, 2, 2, 1, 1>;
using Cube = ConvWindow3d<3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1>;
using CubeInside = ConvWindow3d<3, 3, 3, 1, 1, 1, 0, 0, 0, 1, 1, 1>;
using Row = ConvWindow<1, 5, 1, 1, 0, 2, 1, 1>;
// Of KernelBench's programs.
using Row3 = Transposed<ConvWindow<1, 3, 1, 1, 0, 0, 1, 1>>;
using Row2 = Transposed<ConvWindow<1, 3, 1, 2, 0, 1, 1, 2>>;
using Plain = Transposed<ConvWindow<3, 3, 1, 1, 0, 0, 1, 1>>;
using Oblong = Transposed<ConvWindow<3, 7, 1, 1, 0, 0, 1, 1>>;
using Padded = Transposed<ConvWindow<3, 7, 1, 1, 1, 3, 1, 1>>;
using Valid = ConvWindow<3, 3, 1, 1, 0, 0, 1, 1>;
using PlainCube = Transposed<ConvWindow3d<3, 3, 3, 1, 1, 1, 0, 0, 0, 1, 1, 1>>;
using Four = Transposed<ConvWindow<4, 4, 2, 2, 1, 1, 1, 1>>;
using FourWide = Transposed<ConvWindow<4, 4, 2, 2, 0, 0, 1, 1>>;
using Three = Transposed<ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>>;
using Sparse = Transposed<ConvWindow<3, 3, 5, 5, 1, 1, 2, 2>>;
using Cube2 = Transposed<ConvWindow3d<3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1>>;
using Cube4 = Transposed<ConvWindow3d<4, 4, 4, 2, 2, 2, 1, 1, 1, 1, 1, 1>>;
using CubeApart = Transposed<ConvWindow3d<3, 3, 3, 2, 2, 2, 1, 1, 1, 2, 2, 2>>;

// Two phases along x: 128 places of a line.
template <int kPlanes>
using Line = GroupTile<128, kPlanes, 128>;

void time_strided() {
  time_layer<Four, PatchTile<2, 4>, Line<8>, Line<4>>("L2/5", 32, 64, {1, 256, 256}, 64, 1);
  time_layer<FourWide, PatchTile<2, 4>, Line<8>, Line<4>>("L2/93", 128, 64, {1, 64, 64}, 128);
  time_layer<Three, PatchTile<2, 4>, Line<8>, Line<4>>("L2/2,16", 128, 64, {1, 128, 128}, 64, 1);
  time_layer<Three, PatchTile<2, 4>, Line<8>, Line<4>>("L2/36", 16, 64, {1, 128, 128}, 128, 1);
  time_layer<Cube2, PatchTile<1, 4>, Line<8>, Line<4>>("L2/100", 16, 64, {24, 48, 48}, 128);
  time_layer<Cube4, PatchTile<1, 4>, Line<4>, Line<2>>("L2/34", 32, 32, {16, 32, 32}, 64);
  time_layer<Cube2, PatchTile<1, 4>, Line<4>, Line<2>>("L2/3", 32, 32, {16, 32, 32}, 64, 1);
  time_layer<Cube2, PatchTile<1, 4>, Line<4>>("L2/20", 16, 32, {16, 32, 32}, 64, 1);
  time_layer<CubeApart, PatchTile<1, 4>, Line<4>>("L1/77", 16, 32, {16, 32, 32}, 64);
  time_layer<Sparse, PatchTile<1, 4>, GroupTile<32, 4, 32>>("L1/81", 16, 32, {1, 64, 128}, 64);
  time_layer<Row2, PatchTile<4, 4, 1>, Line<4>, Line<2>>("L1/79", 16, 32, {1, 1, 131072}, 64);
}

// Rows of outputs that are no multiple of four.
void time_ragged() {
  time_layer<Row3, PatchTile<4, 8, 1>, GroupTile<256, 4>, GroupTile<256, 2>>("L1/64", 64, 128, {1, 1, 65536}, 128);
  time_layer<Plain, PatchTile<4, 8, 2>, GroupTile<16, 4>>("L2/19", 128, 64, {1, 256, 256}, 64);
  time_layer<Plain, PatchTile<4, 8, 2>, GroupTile<16, 4>>("L1/57", 8, 64, {1, 1024, 1024}, 64);
  time_layer<Valid, PatchTile<4, 8, 2>, GroupTile<16, 2>>("L1/63", 16, 16, {1, 1024, 1024}, 128);
  time_layer<Oblong, PatchTile<4, 8, 2>, GroupTile<16, 4>>("L1/65", 8, 64, {1, 512, 512}, 64);
  time_layer<PlainCube, PatchTile<3, 8, 2>, GroupTile<16, 6>, GroupTile<16, 4>, GroupTile<16, 2>>("L1/61", 8, 48,
                                                                                                  {64, 64, 64}, 48);
}

// Outputs of a place along z and y.
template <int kPlanes, int kDeep, int kHigh>
using Few = GroupTile<16, kPlanes, 256, kDeep, kHigh>;

void time_few_channels() {
  time_layer<PlainCube, PatchTile<2, 8, 2>, Few<6, 2, 1>, Few<4, 2, 1>, Few<2, 2, 1>, Few<2, 1, 2>, Few<2, 2, 2>,
             GroupTile<16, 6>>("L1/70", 8, 48, {96, 96, 96}, 24);
  time_layer<Plain, PatchTile<2, 8, 2>, Few<4, 1, 2>, Few<2, 1, 2>, GroupTile<16, 4>>("L1/71", 8, 32, {1, 512, 1024},
                                                                                      32);
  time_layer<Padded, PatchTile<2, 8, 2>, Few<4, 1, 2>, Few<2, 1, 2>, GroupTile<16, 4>>("L1/78", 8, 32, {1, 512, 1024},
                                                                                       32);
}

}  // namespace

int main(int count, char** names) {
  wanted.assign(names + 1, names + count);
  time_strided();
  time_ragged();
  time_few_channels();
  time_layer<Same, PatchTile<4, 8, 2>, GroupTile<16, 4>, GroupTile<32, 4>, GroupTile<64, 4>, GroupTile<128, 4>>(
      "64to64", 64, 64, {1, 256, 256}, 64);
  time_layer<Square1, PatchTile<4, 8, 2>, GroupTile<16, 4>>("L2/10", 128, 64, {1, 256, 256}, 64);
  time_layer<Same, PatchTile<4, 8, 2>, GroupTile<16, 4>>("64to128", 64, 64, {1, 256, 256}, 128);
  time_layer<Same, PatchTile<4, 8, 2>, GroupTile<16, 4>, GroupTile<32, 4>, GroupTile<64, 4>>("128to128", 32, 128,
                                                                                             {1, 128, 128}, 128);
  time_layer<Same, PatchTile<4, 4>, GroupTile<16, 4>>("256to256", 10, 256, {1, 28, 28}, 256);
  time_layer<Same, PatchTile<4, 4>, GroupTile<16, 4>>("resnet28", 64, 128, {1, 28, 28}, 128);
  time_layer<Same, PatchTile<4, 4>, GroupTile<16, 4>>("resnet14", 64, 256, {1, 14, 14}, 256);
  time_layer<Same, PatchTile<4, 8>, GroupTile<16, 4>, GroupTile<32, 4>, GroupTile<64, 4>>("resnet56", 64, 64,
                                                                                          {1, 56, 56}, 64);
  time_layer<Five, PatchTile<4, 8, 2>, GroupTile<16, 4>, GroupTile<32, 4>, GroupTile<64, 4>>("5x5", 32, 64,
                                                                                             {1, 128, 128}, 64);
  time_layer<Same, PatchTile<4, 8, 2>, GroupTile<16, 2>, GroupTile<32, 2>, GroupTile<64, 2>>("16to64", 128, 16,
                                                                                             {1, 256, 256}, 64);
  time_layer<Same, PatchTile<4, 8, 2>, GroupTile<16, 4>, GroupTile<16, 2>>("32to64", 64, 32, {1, 256, 256}, 64);
  time_layer<Cube, PatchTile<4, 4>, GroupTile<16, 4>, GroupTile<32, 4>, GroupTile<64, 4>>("cube", 16, 32, {32, 64, 64},
                                                                                          64);
  time_layer<Row, PatchTile<4, 8, 1>, GroupTile<256, 2>, GroupTile<128, 2>>("row", 32, 32, {1, 1, 131072}, 64);
  time_layer<Inside, PatchTile<4, 8, 2>, GroupTile<32, 4>, GroupTile<64, 4>, GroupTile<128, 4>>("254", 64, 64,
                                                                                                {1, 256, 256}, 64);
  time_layer<Inside, PatchTile<4, 8, 2>, GroupTile<32, 4>, GroupTile<64, 4>, GroupTile<128, 4>>("126to128", 128, 64,
                                                                                                {1, 128, 128}, 128);
  time_layer<Inside, PatchTile<4, 8, 2>, GroupTile<32, 4>, GroupTile<64, 4>>("253", 64, 64, {1, 255, 255}, 64);
  time_layer<Inside, PatchTile<4, 8, 2>, GroupTile<64, 2>, GroupTile<128, 2>, GroupTile<256, 2>>("16to128", 16, 16,
                                                                                                 {1, 1024, 1024}, 128);
  time_layer<CubeInside, PatchTile<4, 4>, GroupTile<32, 4>, GroupTile<64, 4>>("L2/47", 16, 32, {32, 64, 64}, 64);
  return 0;
}
