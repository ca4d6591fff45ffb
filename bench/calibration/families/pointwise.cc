// SPDX-License-Identifier: Apache-2.0
// Activations, element by element: fast intrinsics against other functions and lower precision.
#include <cmath>
#include <utility>

#include "calibration/arithmetic.h"
#include "calibration/family.h"

namespace stitch::calibration {
namespace {

constexpr int64_t kRows = 16;
constexpr int64_t kColumns = 256;
constexpr float kSpread = 2;

template <typename Output, typename Function>
std::vector<Output> mapped(const Sample& sample, Function function) {
  std::vector<Output> result;
  for (const float value : sample.tensors[0].data) {
    result.push_back(function(static_cast<Output>(value)));
  }
  return result;
}

template <typename Reference>
Family family_of(std::string name, Reference reference) {
  Family family;
  family.name = std::move(name);
  family.has_length = false;
  family.draw = [](int64_t, int number, Random& random) {
    return Sample{{make_tensor({kRows, kColumns},
                               [&] { return number % 2 == 0 ? kSpread * random.normal() : random.uniform(0, 1); })}};
  };
  family.output_shape = [](const Sample& sample) { return sample.tensors[0].shape; };
  family.truth = [=](const Sample& sample) { return mapped<double>(sample, reference); };
  family.native = [=](const Sample& sample, Random*) { return mapped<float>(sample, reference); };
  return family;
}

Kernel kernel(std::string name, Expectation expectation, float (*function)(float)) {
  return {std::move(name), expectation, [function](const Sample& sample) { return mapped<float>(sample, function); }};
}

constexpr float kRootHalf = 0.70710678118654752F;
constexpr float kRootTwoOverPi = 0.79788456080286536F;
constexpr float kCubic = 0.044715F;

float gelu(float x) { return 0.5F * x * (1.0F + std::erf(x * kRootHalf)); }
float gelu_by_erfc(float x) { return 0.5F * x * std::erfc(-x * kRootHalf); }
float gelu_tanh(float x) { return 0.5F * x * (1.0F + std::tanh(kRootTwoOverPi * (x + kCubic * x * x * x))); }
float gelu_sigmoid(float x) { return x / (1.0F + std::exp(-1.702F * x)); }
float gelu_half(float x) { return round_to_half(gelu(round_to_half(x))); }

float sigmoid(float x) { return 1.0F / (1.0F + std::exp(-x)); }
float fast_sigmoid(float x) { return fast_divide(1.0F, 1.0F + fast_exp(-x)); }
float sigmoid_by_tanh(float x) { return 0.5F + 0.5F * std::tanh(0.5F * x); }
// tanh.approx: relative error 2^-11.
float sigmoid_by_fast_tanh(float x) {
  const auto approximate =
      static_cast<float>(std::tanh(0.5 * static_cast<double>(x)) * (1 + 0x1p-11 * pseudo_error(x)));
  return 0.5F + 0.5F * approximate;
}
float sigmoid_bfloat16(float x) { return round_to_bfloat16(sigmoid(x)); }
float hard_sigmoid(float x) { return std::fmin(std::fmax(x / 6.0F + 0.5F, 0.0F), 1.0F); }

}  // namespace

Family gelu_family() {
  Family family = family_of("gelu", [](auto x) {
    using Real = decltype(x);
    return Real(0.5) * x * (Real(1) + std::erf(x * Real(0.70710678118654752440)));
  });
  family.kernels = {kernel("erff", Expectation::kHonest, gelu), kernel("erfcf", Expectation::kHonest, gelu_by_erfc),
                    kernel("tanh form instead of erf", Expectation::kBug, gelu_tanh),
                    kernel("sigmoid form instead of erf", Expectation::kBug, gelu_sigmoid),
                    kernel("in half", Expectation::kBug, gelu_half)};
  return family;
}

Family sigmoid_family() {
  Family family = family_of("sigmoid", [](auto x) {
    using Real = decltype(x);
    return Real(1) / (Real(1) + std::exp(-x));
  });
  family.kernels = {kernel("expf", Expectation::kHonest, sigmoid),
                    kernel("__expf and __fdividef", Expectation::kHonest, fast_sigmoid),
                    kernel("by tanhf", Expectation::kHonest, sigmoid_by_tanh),
                    kernel("by tanh.approx", Expectation::kBug, sigmoid_by_fast_tanh),
                    kernel("rounded to bf16", Expectation::kBug, sigmoid_bfloat16),
                    kernel("hard sigmoid", Expectation::kBug, hard_sigmoid)};
  return family;
}

}  // namespace stitch::calibration
