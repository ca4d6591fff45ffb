// SPDX-License-Identifier: Apache-2.0
// Convolutions of operands stored in 16 bits, and their transposes: words gathered along k where the depth is even, odd
// and longer than a tile; weights copied wide and put together; split K; depthwise; the ordinary pipes.
#include "conv_support.cuh"
#include "kernels/conv/depthwise.cuh"
#include "kernels/conv/implicit_gemm_16bit.cuh"
#include "kernels/conv/implicit_gemm_ffma.cuh"
#include "support_16bit.cuh"

namespace {

using namespace stitch_test;

constexpr double kSumsInFloat = 1e-5;  // products are exact, sums are in fp32

template <typename T, typename Window>
struct Operands {
  ConvCase<Window> problem;

  explicit Operands(const ConvShape& shape) : problem(shape) {
    round_to<T>(problem.x);
    round_to<T>(problem.weight);
    problem.want = reference<Window>(shape, problem.x.data(), problem.weight.data(), problem.bias.data());
  }
};

// launch(shape, input, weight, epilogue, scratch)
template <typename T, typename Window, typename Launch>
void check(Checker& checker, const std::string& name, const Operands<T, Window>& operands, const Launch& launch) {
  constexpr int64_t kMostSplits = 4;
  const ConvCase<Window>& problem = operands.problem;
  const DeviceValues<T> x(problem.x);
  const DeviceValues<T> weight(problem.weight);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats y(problem.outputs());
  const DeviceFloats scratch(kMostSplits * conv_partial_elements<Window>(problem.shape));
  const BiasStore epilogue{y.data(), bias.data(), problem.shape};
  checker.launched(name, launch(problem.shape, x.data(), weight.data(), epilogue, scratch.data()));
  checker.close(name, y.values(), problem.want, kSumsInFloat);
}

template <typename T, typename Tile, typename Window>
void check_both(Checker& checker, const std::string& name, const ConvShape& shape) {
  const Operands<T, Window> operands(shape);
  check(checker, name + " mma", operands, [](auto s, auto x, auto weight, auto epilogue, float*) {
    return launch_conv_mma_16bit<Tile, Window>(s, x, weight, epilogue, nullptr);
  });
  check(checker, name + " ffma", operands, [](auto s, auto x, auto weight, auto epilogue, float*) {
    return launch_conv_ffma<FfmaTileSmall, Window>(s, x, weight, epilogue, nullptr);
  });
}

template <typename T, typename Window>
void check_split(Checker& checker, const std::string& name, const ConvShape& shape) {
  check(checker, name, Operands<T, Window>(shape), [](auto s, auto x, auto weight, auto epilogue, float* scratch) {
    return launch_conv_mma_16bit_split_k<MmaTileSmall, Window>(s, x, weight, epilogue, 3, scratch, nullptr);
  });
}

template <typename T, typename Window>
void check_depthwise(Checker& checker, const std::string& name, const ConvShape& shape) {
  check(checker, name, Operands<T, Window>(shape), [](auto s, auto x, auto weight, auto epilogue, float*) {
    return launch_conv_depthwise<Window>(s, x, weight, epilogue, nullptr);
  });
}

template <typename T>
void check_forward(Checker& checker) {
  using Same = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
  using Strided = ConvWindow<5, 3, 2, 3, 2, 0, 1, 2>;
  using Point = ConvWindow<1, 1, 1, 1, 0, 0, 1, 1>;
  using Long = ConvWindow<2, 17, 1, 1, 1, 8, 1, 1>;  // wider than the table of a window has bits
  using Volume = ConvWindow3d<3, 2, 3, 1, 2, 1, 1, 0, 1, 1, 1, 2>;
  check_both<T, MmaTileMedium, Same>(checker, "odd depth", conv_shape<Same>(2, 5, 9, 7, 12, 1));
  check_both<T, MmaTileBroad, Same>(checker, "wide weights", conv_shape<Same>(1, 8, 6, 9, 66, 1));
  check_both<T, MmaTileSmall, Same>(checker, "groups", conv_shape<Same>(1, 6, 6, 5, 8, 2));
  check_both<T, MmaTileSmall, Strided>(checker, "strided", conv_shape<Strided>(2, 3, 13, 14, 33, 1));
  check_both<T, MmaTileLarge, Point>(checker, "1x1", conv_shape<Point>(2, 72, 8, 9, 130, 1));
  check_both<T, MmaTileSmall, Point>(checker, "1x1 of odd rows", conv_shape<Point>(1, 37, 3, 5, 7, 1));
  check_both<T, MmaTileSmall, Long>(checker, "long", conv_shape<Long>(1, 3, 5, 20, 9, 1));
  check_both<T, MmaTileSmall, Volume>(checker, "volume", conv_shape<Volume>(2, 4, 4, 5, 8, 10, 2));
  check_split<T, Same>(checker, "split", conv_shape<Same>(1, 27, 5, 4, 10, 1));
  check_split<T, Same>(checker, "split of wide weights", conv_shape<Same>(1, 24, 5, 4, 10, 1));
  check_depthwise<T, Same>(checker, "depthwise", conv_shape<Same>(2, 6, 9, 7, 6, 6));
  check_depthwise<T, Strided>(checker, "depthwise, two a channel", conv_shape<Strided>(1, 4, 13, 14, 8, 4));
}

template <typename T>
void check_transposed(Checker& checker) {
  using Twice = Transposed<ConvWindow<2, 2, 2, 2, 0, 0, 1, 1>>;
  using Odd = Transposed<ConvWindow<3, 4, 2, 3, 1, 2, 1, 1>>;
  using Dilated = Transposed<ConvWindow<3, 3, 4, 3, 5, 0, 2, 2>>;
  using Volume = Transposed<ConvWindow3d<3, 2, 3, 2, 2, 1, 1, 0, 1, 1, 1, 2>>;
  check_both<T, MmaTileMedium, Twice>(checker, "twice", conv_shape<Twice>(2, 5, 6, 7, 12, 1));
  check_both<T, MmaTileSmall, Odd>(checker, "odd", conv_shape<Odd>(2, 6, 1, 5, 6, 10, 2, 1));
  check_both<T, MmaTileSmall, Dilated>(checker, "dilated", conv_shape<Dilated>(1, 3, 1, 5, 4, 7, 1, 1));
  check_both<T, MmaTileSmall, Volume>(checker, "volume", conv_shape<Volume>(1, 4, 3, 3, 5, 6, 2, 1));
  check_split<T, Odd>(checker, "split transposed", conv_shape<Odd>(1, 41, 1, 4, 3, 9, 1, 1));
  check_depthwise<T, Odd>(checker, "depthwise transposed", conv_shape<Odd>(2, 4, 1, 5, 6, 8, 4, 1));
}

template <typename T>
void check_all(Checker& checker) {
  check_forward<T>(checker);
  check_transposed<T>(checker);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_all<__half>(checker);
  check_all<__nv_bfloat16>(checker);
  return checker.finish();
}
