// SPDX-License-Identifier: Apache-2.0
// Errors of convolutions of fp32 class beside those of plain fp32 sums, of operands whose exponents lie apart.
#pragma once

#include "conv_support.cuh"

namespace stitch_test {

// The largest error in units of 2^-24 of the sum of the products' magnitudes, and that of a plain fp32 sum.
template <typename Window>
struct Errors {
  double got = 0;
  double plain = 0;

  Errors(const ConvCase<Window>& problem, const std::vector<float>& y) {
    const ConvShape& s = problem.shape;
    const std::vector<float> none(static_cast<size_t>(s.out_channels), 0.0f);
    std::vector<float> positive_x = problem.x;
    std::vector<float> positive_weight = problem.weight;
    for (float& value : positive_x) {
      value = std::fabs(value);
    }
    for (float& value : positive_weight) {
      value = std::fabs(value);
    }
    const std::vector<double> want = reference<Window>(s, problem.x.data(), problem.weight.data(), none.data());
    const std::vector<double> sizes = reference<Window>(s, positive_x.data(), positive_weight.data(), none.data());
    for (size_t i = 0; i < want.size(); ++i) {
      const double unit = sizes[i] * 0x1p-24;
      if (unit > 0) {
        got = std::fmax(got, std::fabs(y[i] - want[i]) / unit);
        plain = std::fmax(plain, std::fabs(plain_sum(problem, static_cast<int64_t>(i)) - want[i]) / unit);
      }
    }
  }

  static float plain_sum(const ConvCase<Window>& problem, int64_t output) {
    const ConvShape& s = problem.shape;
    const int64_t x = output % s.out_width;
    const int64_t y = output / s.out_width % s.out_height;
    const int64_t plane = output / s.out_width / s.out_height;
    float sum = 0;
    for (int64_t k = 0; k < s.in_channels * Window::taps; ++k) {
      const int64_t tap = k % Window::taps;
      const int64_t row = y * Window::stride_y - Window::padding_y + tap / Window::kernel_x * Window::dilation_y;
      const int64_t column = x * Window::stride_x - Window::padding_x + tap % Window::kernel_x * Window::dilation_x;
      if (row >= 0 && row < s.height && column >= 0 && column < s.width) {
        const int64_t image = plane / s.out_channels * s.in_channels + k / Window::taps;
        sum += problem.x[static_cast<size_t>((image * s.height + row) * s.width + column)] *
               problem.weight[static_cast<size_t>(plane % s.out_channels * s.in_channels * Window::taps + k)];
      }
    }
    return sum;
  }
};

// `run` takes a problem and returns its outputs, without a bias.
template <typename Window, typename Run>
void check_errors(Checker& checker, const std::string& name, const ConvCase<Window>& problem, const Run& run) {
  const Errors<Window> errors(problem, run(name, problem));
  std::printf("%s: error %.2f, of plain sums %.2f\n", name.c_str(), errors.got, errors.plain);
  checker.is_true(name + " has the errors of fp32", errors.got <= 1.0 + 1.5 * errors.plain);
}

// Of positive elements, of either sign, of exponents 12 and 24 binades apart, and of an image that is dark on one side.
template <typename Large, typename Run>
void check_accuracy(Checker& checker, const ConvShape& shape, const Run& run) {
  ConvCase<Large> signs(shape);
  check_errors(checker, "either sign", signs, run);
  ConvCase<Large> positive(shape);
  positive.x = random_floats(static_cast<int64_t>(positive.x.size()), 5, 0.0f, 1.0f);
  check_errors(checker, "positive", positive, run);
  ConvCase<Large> dark(shape);
  for (size_t i = 0; i < dark.x.size(); ++i) {
    dark.x[i] *= i % 36 < 18 ? 0x1p-26f : 1.0f;
  }
  check_errors(checker, "dark on one side", dark, run);
  ConvCase<Large> rare(shape);  // tiny ones beside others
  for (size_t i = 0; i < rare.x.size(); i += 97) {
    rare.x[i] *= 0x1p-28f;
  }
  check_errors(checker, "few tiny ones", rare, run);
  ConvCase<Large> sparse(shape);  // and among zeros, as most of their windows see nothing else
  for (size_t i = 0; i < sparse.x.size(); ++i) {
    sparse.x[i] *= i == 3 ? 1.0f : i % 200 == 100 ? 0x1p-28f : 0.0f;
  }
  check_errors(checker, "tiny ones among zeros", sparse, run);
  for (const int binades : {12, 24}) {
    ConvCase<Large> wide(shape);
    const std::vector<float> exponents =
        random_floats(static_cast<int64_t>(wide.x.size()), 6, -static_cast<float>(binades), 0.0f);
    for (size_t i = 0; i < wide.x.size(); ++i) {
      wide.x[i] *= std::exp2(std::floor(exponents[i]));
    }
    check_errors(checker, std::to_string(binades) + " binades", wide, run);
  }
}

}  // namespace stitch_test
