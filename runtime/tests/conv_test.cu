// SPDX-License-Identifier: Apache-2.0
// Convolutions of two and three axes and their transposes: stride, padding, dilation, groups, depthwise, 1 x 1, split
// K; fp32 pipes and tensor cores.
#include "conv_support.cuh"
#include "kernels/conv/depthwise.cuh"
#include "kernels/conv/direct.cuh"
#include "kernels/conv/direct_mma.cuh"
#include "kernels/conv/direct_wgmma.cuh"
#include "kernels/conv/implicit_gemm_ffma.cuh"
#include "kernels/conv/implicit_gemm_mma.cuh"

namespace {

using namespace stitch;
using namespace stitch_test;

// launch(shape, input, weight, epilogue, scratch)
template <typename Window, typename Launch>
void check(Checker& checker, const std::string& name, const ConvCase<Window>& problem, const Launch& launch) {
  constexpr int64_t kMostSplits = 4;
  const DeviceFloats x(problem.x);
  const DeviceFloats weight(problem.weight);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats y(problem.outputs());
  const DeviceFloats scratch(kMostSplits * conv_partial_elements<Window>(problem.shape));
  const BiasStore epilogue{y.data(), bias.data(), problem.shape};
  checker.launched(name, launch(problem.shape, x.data(), weight.data(), epilogue, scratch.data()));
  checker.close(name, y.values(), problem.want, 1e-5);
}

template <typename FfmaTile, typename MmaTile, typename Window>
void check_both(Checker& checker, const std::string& name, const ConvCase<Window>& problem) {
  check(checker, name + " ffma", problem, [](auto shape, auto x, auto weight, auto epilogue, float*) {
    return launch_conv_ffma<FfmaTile, Window>(shape, x, weight, epilogue, nullptr);
  });
  check(checker, name + " mma", problem, [](auto shape, auto x, auto weight, auto epilogue, float*) {
    return launch_conv_mma<Tf32x3, MmaTile, Window>(shape, x, weight, epilogue, nullptr);
  });
}

template <typename Window>
void check_split(Checker& checker, const ConvCase<Window>& problem) {
  check(checker, "split ffma", problem, [](auto shape, auto x, auto weight, auto epilogue, float* scratch) {
    return launch_conv_ffma_split_k<FfmaTileSmall, Window>(shape, x, weight, epilogue, 4, scratch, nullptr);
  });
  check(checker, "split mma", problem, [](auto shape, auto x, auto weight, auto epilogue, float* scratch) {
    return launch_conv_mma_split_k<Tf32x3, MmaTileSmall, Window>(shape, x, weight, epilogue, 3, scratch, nullptr);
  });
}

template <typename Window>
void check_depthwise(Checker& checker, const ConvShape& shape) {
  check(checker, Window::transposed ? "depthwise transposed" : "depthwise", ConvCase<Window>(shape),
        [](auto s, auto x, auto weight, auto epilogue, float*) {
          return launch_conv_depthwise<Window>(s, x, weight, epilogue, nullptr);
        });
}

template <typename Window, int kRows>
void check_depthwise_rows(Checker& checker, const ConvShape& shape) {
  check(checker, "depthwise rows", ConvCase<Window>(shape), [](auto s, auto x, auto weight, auto epilogue, float*) {
    return depthwise_detail::launch_depthwise_rows<Window, kRows>(s, x, weight, epilogue, nullptr, AsStored{});
  });
}

template <int kChannels, typename Window>
void check_direct(Checker& checker, const std::string& name, const ConvShape& shape) {
  check(checker, "direct " + name, ConvCase<Window>(shape), [](auto s, auto x, auto weight, auto epilogue, float*) {
    return launch_conv_direct<DirectTile<kChannels>, Window>(s, x, weight, epilogue, nullptr);
  });
}

// Blocks that hang over every edge, channels in one go and in several, more of them than a block has and fewer.
void check_direct_ones(Checker& checker) {
  using Same = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
  using Strided = ConvWindow<5, 3, 2, 3, 2, 0, 1, 2>;
  using Volume = ConvWindow3d<3, 2, 3, 1, 2, 1, 1, 0, 1, 1, 1, 2>;
  using Row = ConvWindow<1, 7, 1, 2, 0, 3, 1, 1>;
  check_direct<16, Same>(checker, "3x3", conv_shape<Same>(2, 3, 19, 37, 12, 1));
  check_direct<8, Same>(checker, "narrow", conv_shape<Same>(1, 2, 5, 270, 9, 1));
  check_direct<64, Same>(checker, "many channels", conv_shape<Same>(1, 25, 9, 5, 70, 1));
  check_direct<32, Strided>(checker, "strided", conv_shape<Strided>(2, 3, 21, 14, 33, 1));
  check_direct<32, Volume>(checker, "volume", conv_shape<Volume>(2, 4, 4, 19, 8, 10, 1));
  check_direct<32, Row>(checker, "row", conv_shape<Row>(1, 5, 1, 41, 30, 1));
}

template <int kChannels, int kInputChannels, typename Window>
void check_direct_mma(Checker& checker, const std::string& name, const ConvCase<Window>& problem) {
  check(checker, "direct mma " + name, problem, [](auto s, auto x, auto weight, auto epilogue, float*) {
    using Tile = DirectMmaTile<kChannels, kInputChannels>;
    return launch_conv_direct_mma<Tile, Window>(s, x, weight, epilogue, nullptr);
  });
}

// Patches that hang over every edge, more of them than a block takes and fewer; input channels in one go and in
// several, more and fewer than a slice has; taps that fill slices and groups of slices and that do not.
void check_direct_mma_ones(Checker& checker) {
  using Same = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
  using Strided = ConvWindow<5, 3, 2, 3, 2, 0, 1, 2>;
  using Volume = ConvWindow3d<3, 2, 3, 1, 2, 1, 1, 0, 1, 1, 1, 2>;
  using Row = ConvWindow<1, 7, 1, 2, 0, 3, 1, 1>;
  check_direct_mma<64, 8, Same>(checker, "3x3", ConvCase<Same>(conv_shape<Same>(2, 8, 1, 10, 67, 70, 1)));
  check_direct_mma<32, 4, Same>(checker, "few", ConvCase<Same>(conv_shape<Same>(1, 3, 1, 9, 33, 12, 1)));
  check_direct_mma<64, 4, Strided>(checker, "strided", ConvCase<Strided>(conv_shape<Strided>(2, 6, 1, 13, 14, 33, 1)));
  check_direct_mma<32, 8, Volume>(checker, "volume", ConvCase<Volume>(conv_shape<Volume>(2, 9, 4, 19, 8, 10, 1)));
  check_direct_mma<32, 4, Row>(checker, "row", ConvCase<Row>(conv_shape<Row>(1, 5, 1, 1, 41, 30, 1)));
  ConvCase<Same> beyond(conv_shape<Same>(1, 2, 1, 4, 5, 3, 1));
  beyond.x[7] = INFINITY;  // splitting it gives NaN
  beyond.want = reference<Same>(beyond.shape, beyond.x.data(), beyond.weight.data(), beyond.bias.data());
  check_direct_mma<32, 4, Same>(checker, "infinity", beyond);
}

template <int kChannels, typename Window>
void check_direct_wgmma(Checker& checker, const std::string& name, const ConvCase<Window>& problem) {
  check(checker, "direct wgmma " + name, problem, [](auto s, auto x, auto weight, auto epilogue, float*) {
    const int64_t pixels = s.out_height * s.out_width;
    const PixelBiasStore store{epilogue.y, epilogue.bias, s.out_channels, pixels};
    return launch_conv_direct_wgmma<DirectWgmmaTile<kChannels>, Window>(s, x, weight, store, pixels % 4 == 0, nullptr);
  });
}

// As above; and whole warps of pixels and blocks of channels, which are finished without asking.
void check_direct_wgmma_ones(Checker& checker) {
  using Same = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
  using Strided = ConvWindow<5, 3, 2, 1, 2, 0, 1, 2>;  // more taps than are held in registers
  using Row = ConvWindow<1, 7, 1, 2, 0, 3, 1, 1>;
  check_direct_wgmma<64, Same>(checker, "3x3", ConvCase<Same>(conv_shape<Same>(2, 8, 1, 10, 67, 70, 1)));
  check_direct_wgmma<64, Same>(checker, "pairs", ConvCase<Same>(conv_shape<Same>(1, 4, 1, 10, 38, 64, 1)));
  check_direct_wgmma<32, Same>(checker, "patches", ConvCase<Same>(conv_shape<Same>(1, 3, 1, 42, 65, 9, 1)));
  check_direct_wgmma<32, Strided>(checker, "strided", ConvCase<Strided>(conv_shape<Strided>(2, 6, 1, 13, 14, 33, 1)));
  check_direct_wgmma<64, Row>(checker, "row", ConvCase<Row>(conv_shape<Row>(1, 5, 1, 1, 41, 30, 1)));
  ConvCase<Same> beyond(conv_shape<Same>(1, 2, 1, 4, 5, 3, 1));
  beyond.x[7] = INFINITY;  // splitting it gives NaN
  beyond.want = reference<Same>(beyond.shape, beyond.x.data(), beyond.weight.data(), beyond.bias.data());
  check_direct_wgmma<64, Same>(checker, "infinity", beyond);
}

// Three axes, each with its own numbers.
void check_volumes(Checker& checker) {
  using Volume = ConvWindow3d<3, 2, 3, 1, 2, 1, 1, 0, 1, 1, 1, 2>;
  check_both<FfmaTileSmall, MmaTileSmall>(checker, "volume",
                                          ConvCase<Volume>(conv_shape<Volume>(2, 4, 4, 5, 8, 10, 2)));
  using Cube = ConvWindow3d<11, 1, 1, 2, 1, 1, 5, 0, 0, 1, 1, 1>;  // deeper than the table has bits
  check_both<FfmaTileSmall, MmaTileSmall>(checker, "deep", ConvCase<Cube>(conv_shape<Cube>(1, 2, 9, 3, 4, 5, 1)));
  check_depthwise<Volume>(checker, conv_shape<Volume>(2, 3, 4, 5, 8, 6, 3));
  check_depthwise_rows<Volume, 2>(checker, conv_shape<Volume>(2, 3, 4, 11, 8, 6, 3));
}

// Kernel shorter and longer than the stride, dilations with and without a common divisor, phases without taps.
void check_transposed(Checker& checker) {
  using Twice = Transposed<ConvWindow<2, 2, 2, 2, 0, 0, 1, 1>>;
  check_both<FfmaTileMedium, MmaTileMedium>(checker, "twice", ConvCase<Twice>(conv_shape<Twice>(2, 5, 6, 7, 12, 1)));
  using Odd = Transposed<ConvWindow<3, 4, 2, 3, 1, 2, 1, 1>>;
  check_both<FfmaTileSmall, MmaTileSmall>(checker, "odd", ConvCase<Odd>(conv_shape<Odd>(2, 6, 1, 5, 6, 10, 2, 1)));
  using Plain = Transposed<ConvWindow<3, 5, 1, 1, 0, 4, 1, 2>>;
  check_both<FfmaTileLarge, MmaTileLarge>(checker, "stride 1", ConvCase<Plain>(conv_shape<Plain>(1, 9, 6, 5, 130, 1)));
  using Dilated = Transposed<ConvWindow<3, 3, 4, 3, 5, 0, 2, 2>>;
  check_both<FfmaTileSmall, MmaTileSmall>(checker, "dilated",
                                          ConvCase<Dilated>(conv_shape<Dilated>(1, 3, 1, 5, 4, 7, 1, 1)));
  using Sparse = Transposed<ConvWindow<1, 2, 3, 5, 0, 1, 1, 1>>;
  check_both<FfmaTileTall, MmaTileSmall>(checker, "sparse", ConvCase<Sparse>(conv_shape<Sparse>(2, 4, 5, 4, 7, 1)));
  using Long = Transposed<ConvWindow<1, 35, 1, 2, 0, 9, 1, 1>>;  // more taps in a phase than the table has bits
  check_both<FfmaTileSmall, MmaTileSmall>(checker, "long", ConvCase<Long>(conv_shape<Long>(1, 3, 3, 9, 5, 1)));
  using Volume = Transposed<ConvWindow3d<3, 2, 3, 2, 2, 1, 1, 0, 1, 1, 1, 2>>;
  check_both<FfmaTileSmall, MmaTileSmall>(checker, "volume",
                                          ConvCase<Volume>(conv_shape<Volume>(1, 4, 3, 3, 5, 6, 2, 1)));
  check_split(checker, ConvCase<Odd>(conv_shape<Odd>(1, 40, 1, 4, 3, 9, 1, 1)));
  check_depthwise<Odd>(checker, conv_shape<Odd>(2, 4, 1, 5, 6, 8, 4, 1));
  check_depthwise<Volume>(checker, conv_shape<Volume>(1, 3, 3, 3, 4, 3, 3, 1));
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  using Same = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
  using Strided = ConvWindow<5, 3, 2, 3, 2, 0, 1, 2>;
  using Point = ConvWindow<1, 1, 1, 1, 0, 0, 1, 1>;
  check_both<FfmaTileMedium, MmaTileMedium>(checker, "3x3", ConvCase<Same>(conv_shape<Same>(2, 5, 9, 7, 12, 1)));
  check_both<FfmaTileSmall, MmaTileSmall>(checker, "groups", ConvCase<Same>(conv_shape<Same>(1, 6, 6, 5, 8, 2)));
  check_both<FfmaTileSmall, MmaTileSmall>(checker, "strided",
                                          ConvCase<Strided>(conv_shape<Strided>(2, 3, 13, 14, 33, 1)));
  check_both<FfmaTileLarge, MmaTileLarge>(checker, "1x1", ConvCase<Point>(conv_shape<Point>(2, 36, 8, 9, 130, 1)));
  check_both<FfmaTileSmall, MmaTileTall>(checker, "tall", ConvCase<Same>(conv_shape<Same>(1, 8, 6, 9, 162, 1)));
  using Long = ConvWindow<2, 17, 1, 1, 1, 8, 1, 1>;  // wider than the table of a window has bits
  check_both<FfmaTileSmall, MmaTileSmall>(checker, "long", ConvCase<Long>(conv_shape<Long>(1, 3, 5, 20, 9, 1)));
  check_split(checker, ConvCase<Same>(conv_shape<Same>(1, 20, 5, 4, 10, 1)));
  check_depthwise<Same>(checker, conv_shape<Same>(2, 6, 9, 7, 6, 6));
  check_depthwise<Strided>(checker, conv_shape<Strided>(1, 4, 13, 14, 8, 4));
  check_depthwise_rows<Same, 8>(checker, conv_shape<Same>(2, 3, 19, 7, 6, 3));
  check_depthwise_rows<Strided, 4>(checker, conv_shape<Strided>(1, 4, 27, 14, 8, 4));
  using Dilated = ConvWindow<3, 3, 2, 1, 2, 3, 3, 2>;
  check_depthwise_rows<Dilated, 4>(checker, conv_shape<Dilated>(1, 3, 23, 9, 3, 3));
  check_direct_ones(checker);
  check_direct_mma_ones(checker);
  check_direct_wgmma_ones(checker);
  check_volumes(checker);
  check_transposed(checker);
  return checker.finish();
}
