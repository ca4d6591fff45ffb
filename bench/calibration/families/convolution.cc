// SPDX-License-Identifier: Apache-2.0
// A 3x3 convolution with padding 1: implicit GEMM of length K = 9 x channels.
#include <algorithm>
#include <cmath>
#include <utility>

#include "calibration/arithmetic.h"
#include "calibration/family.h"
#include "calibration/sums.h"

namespace stitch::calibration {
namespace {

constexpr int64_t kSide = 8;
constexpr int64_t kOut = 8;
constexpr int64_t kKernel = 3;
constexpr int64_t kTaps = kKernel * kKernel;

// How a kernel finds and adds the terms of one output.
struct Settings {
  int64_t column_shift = 0;
  bool transposed_taps = false;
  bool right_edge_cut = false;
  bool with_bias = true;
  float (*round)(float) = nullptr;
  float (*dot)(const std::vector<float>& a, const std::vector<float>& b) = nullptr;
};

struct Patch {
  std::vector<float> values;
  std::vector<float> weights;
};

Patch patch_of(const Sample& sample, int64_t out, int64_t y, int64_t x, const Settings& settings) {
  const Tensor& image = sample.tensors[0];
  const Tensor& weight = sample.tensors[1];
  Patch patch;
  for (int64_t channel = 0; channel < image.extent(0); ++channel) {
    for (int64_t tap = 0; tap < kTaps; ++tap) {
      const int64_t r = tap / kKernel;
      const int64_t s = tap % kKernel;
      const int64_t row = y + r - 1;
      const int64_t column = x + s - 1 + settings.column_shift;
      const int64_t limit = settings.right_edge_cut ? kSide - 1 : kSide;
      const bool inside = row >= 0 && row < kSide && column >= 0 && column < limit;
      const int64_t weight_tap = settings.transposed_taps ? s * kKernel + r : tap;
      patch.values.push_back(inside ? image.data[static_cast<size_t>((channel * kSide + row) * kSide + column)] : 0.0F);
      patch.weights.push_back(weight.data[static_cast<size_t>((out * image.extent(0) + channel) * kTaps + weight_tap)]);
    }
  }
  return patch;
}

template <typename Output, typename Each>
std::vector<Output> over_outputs(Each each) {
  std::vector<Output> result;
  for (int64_t out = 0; out < kOut; ++out) {
    for (int64_t y = 0; y < kSide; ++y) {
      for (int64_t x = 0; x < kSide; ++x) {
        result.push_back(each(out, y, x));
      }
    }
  }
  return result;
}

template <typename Sums>
auto compute(const Sample& sample, const Sums& sums) {
  using Real = typename Sums::Real;
  return over_outputs<Real>([&](int64_t out, int64_t y, int64_t x) {
    const Patch patch = patch_of(sample, out, y, x, {});
    const auto term = [&](int64_t k) {
      const auto i = static_cast<size_t>(k);
      return static_cast<Real>(patch.values[i]) * static_cast<Real>(patch.weights[i]);
    };
    return sums.contraction(static_cast<int64_t>(patch.values.size()), term) +
           static_cast<Real>(sample.tensors[2].data[static_cast<size_t>(out)]);
  });
}

float sequential(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (size_t k = 0; k < a.size(); ++k) {
    sum = std::fmaf(a[k], b[k], sum);
  }
  return sum;
}
// Channels split over four blocks that add into the output.
float channel_split(const std::vector<float>& a, const std::vector<float>& b) {
  constexpr size_t kParts = 4;
  float sum = 0;
  for (size_t part = 0; part < kParts; ++part) {
    float partial = 0;
    for (size_t k = a.size() * part / kParts; k < a.size() * (part + 1) / kParts; ++k) {
      partial += a[k] * b[k];
    }
    sum += partial;
  }
  return sum;
}
float last_tap_missing(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (size_t k = 0; k + 1 < a.size(); ++k) {
    sum += a[k] * b[k];
  }
  return sum;
}

Kernel kernel(std::string name, Expectation expectation, Settings settings) {
  return {std::move(name), expectation, [settings](const Sample& sample) {
            return over_outputs<float>([&](int64_t out, int64_t y, int64_t x) {
              Patch patch = patch_of(sample, out, y, x, settings);
              for (auto* group : {&patch.values, &patch.weights}) {
                if (settings.round != nullptr) {
                  std::transform(group->begin(), group->end(), group->begin(), settings.round);
                }
              }
              const float bias = settings.with_bias ? sample.tensors[2].data[static_cast<size_t>(out)] : 0.0F;
              return (settings.dot != nullptr ? settings.dot : sequential)(patch.values, patch.weights) + bias;
            });
          }};
}

std::vector<Kernel> kernels() {
  Settings split;
  split.dot = channel_split;
  Settings shifted;
  shifted.column_shift = 1;
  Settings cut;
  cut.right_edge_cut = true;
  Settings transposed;
  transposed.transposed_taps = true;
  Settings unbiased;
  unbiased.with_bias = false;
  Settings tf32;
  tf32.round = round_to_tf32;
  Settings tail;
  tail.dot = last_tap_missing;
  return {kernel("implicit GEMM, one accumulator", Expectation::kHonest, {}),
          kernel("implicit GEMM, channels split in four", Expectation::kHonest, split),
          kernel("padding off by one", Expectation::kBug, shifted),
          kernel("last column of the image not read", Expectation::kBug, cut),
          kernel("taps transposed", Expectation::kBug, transposed),
          kernel("missing bias", Expectation::kBug, unbiased),
          kernel("single TF32", Expectation::kBug, tf32),
          kernel("last tap missing", Expectation::kBug, tail)};
}

}  // namespace

Family convolution_family() {
  Family family;
  family.name = "convolution 3x3";
  family.draw = [](int64_t length, int number, Random& random) {
    const int64_t channels = std::max<int64_t>(1, length / kTaps);
    const float bound = 1.0F / std::sqrt(static_cast<float>(channels * kTaps));
    const auto parameter = [&] { return random.uniform(-bound, bound) * random.uniform(0.5F, 1.5F); };
    const auto element = [&] { return number % 2 == 0 ? random.normal() : random.uniform(0, 1); };
    return Sample{{make_tensor({channels, kSide, kSide}, element),
                   make_tensor({kOut, channels, kKernel, kKernel}, parameter), make_tensor({kOut}, parameter)}};
  };
  family.output_shape = [](const Sample&) { return std::vector<int64_t>{kOut, kSide, kSide}; };
  family.truth = [](const Sample& sample) { return compute(sample, ExactSums()); };
  family.native = [](const Sample& sample, Random* random) { return compute(sample, NativeSums(random)); };
  family.kernels = kernels();
  return family;
}

}  // namespace stitch::calibration
