// SPDX-License-Identifier: Apache-2.0
// Layer norm over a row: ways to a variance, and what may go wrong around the root.
#include <algorithm>
#include <cmath>
#include <utility>

#include "calibration/arithmetic.h"
#include "calibration/families/row_family.h"
#include "calibration/sums.h"

namespace stitch::calibration {
namespace {

constexpr int64_t kElements = 4096;
constexpr int64_t kMinimumRows = 4;
constexpr float kEps = 1e-5F;

template <typename Sums>
auto compute(const Sample& sample, const Sums& sums) {
  using Real = typename Sums::Real;
  const Tensor& x = sample.tensors[0];
  const int64_t length = x.extent(1);
  std::vector<Real> result;
  for (int64_t row = 0; row < x.extent(0); ++row) {
    const float* values = x.row(row);
    const Real mean = sums.sum(length, [&](int64_t k) { return values[k]; }) / static_cast<Real>(length);
    const auto square = [&](int64_t k) {
      const Real difference = static_cast<Real>(values[k]) - mean;
      return difference * difference;
    };
    const Real variance = sums.sum(length, square) / static_cast<Real>(length);
    const Real inverse = 1 / std::sqrt(variance + static_cast<Real>(kEps));
    for (int64_t k = 0; k < length; ++k) {
      result.push_back((static_cast<Real>(values[k]) - mean) * inverse *
                           static_cast<Real>(sample.tensors[1].data[static_cast<size_t>(k)]) +
                       static_cast<Real>(sample.tensors[2].data[static_cast<size_t>(k)]));
    }
  }
  return result;
}

struct Moments {
  float mean = 0;
  float variance = 0;  // biased
};
using MomentsOf = Moments (*)(const float* values, int64_t length);

constexpr int64_t kLanes = 32;  // of a warp; each adds up every 32nd element

template <typename Term>
float lane_sum(int64_t length, int64_t lanes, Term term) {
  std::vector<float> sums(static_cast<size_t>(lanes));
  for (int64_t k = 0; k < length; ++k) {
    sums[static_cast<size_t>(k % lanes)] += term(k);
  }
  return pairwise_sum(sums);
}

Moments two_pass_in(const float* values, int64_t length, int64_t lanes) {
  const float mean = lane_sum(length, lanes, [&](int64_t k) { return values[k]; }) / static_cast<float>(length);
  const auto square = [&](int64_t k) { return (values[k] - mean) * (values[k] - mean); };
  return {mean, lane_sum(length, lanes, square) / static_cast<float>(length)};
}
Moments two_pass(const float* values, int64_t length) { return two_pass_in(values, length, kLanes); }
Moments two_pass_one_thread(const float* values, int64_t length) { return two_pass_in(values, length, 1); }

// Welford in `lanes`, merged by Chan's formula.
Moments welford_in(const float* values, int64_t length, int64_t lanes) {
  float mean = 0;
  float squares = 0;
  int64_t count = 0;
  for (int64_t lane = 0; lane < std::min(lanes, length); ++lane) {
    float lane_mean = 0;
    float lane_squares = 0;
    int64_t lane_count = 0;
    for (int64_t k = lane; k < length; k += lanes) {
      const float difference = values[k] - lane_mean;
      lane_mean += difference / static_cast<float>(++lane_count);
      lane_squares += difference * (values[k] - lane_mean);
    }
    const float difference = lane_mean - mean;
    const auto total = static_cast<float>(count + lane_count);
    mean += difference * (static_cast<float>(lane_count) / total);
    squares +=
        lane_squares + difference * difference * (static_cast<float>(count) * static_cast<float>(lane_count) / total);
    count += lane_count;
  }
  return {mean, squares / static_cast<float>(length)};
}
Moments welford(const float* values, int64_t length) { return welford_in(values, length, kLanes); }
Moments welford_one_thread(const float* values, int64_t length) { return welford_in(values, length, 1); }

Moments one_pass_from(const float* values, int64_t length, float shift) {
  const auto moved = [&](int64_t k) { return values[k] - shift; };
  const float mean = lane_sum(length, kLanes, moved) / static_cast<float>(length);
  const float squares = lane_sum(length, kLanes, [&](int64_t k) { return moved(k) * moved(k); });
  return {mean + shift, std::max(squares / static_cast<float>(length) - mean * mean, 0.0F)};
}
// Shifted by the mean of the first few: the first element alone may be an extreme one.
Moments one_pass_shifted(const float* values, int64_t length) {
  constexpr int64_t kFirst = 16;
  return one_pass_from(values, length, two_pass(values, std::min(length, kFirst)).mean);
}
Moments one_pass_plain(const float* values, int64_t length) { return one_pass_from(values, length, 0); }

Moments unbiased(const float* values, int64_t length) {
  const Moments moments = two_pass(values, length);
  return {moments.mean, moments.variance * static_cast<float>(length) / static_cast<float>(length - 1)};
}
Moments half_mean(const float* values, int64_t length) {
  const Moments moments = two_pass(values, length);
  return {round_to_half(moments.mean), moments.variance};
}
Moments first_half_only(const float* values, int64_t length) { return two_pass(values, length / 2); }

using InverseRoot = float (*)(float variance);
float exact_inverse(float variance) { return 1.0F / std::sqrt(variance + kEps); }
float approximate_inverse(float variance) { return fast_rsqrt(variance + kEps); }
float eps_outside(float variance) { return 1.0F / (std::sqrt(variance) + kEps); }
float without_eps(float variance) { return 1.0F / std::sqrt(std::max(variance, 1e-30F)); }

RowKernel normalised(MomentsOf moments_of, InverseRoot inverse_root, bool with_bias = true) {
  return [=](const Sample& sample, int64_t row, std::vector<float>& result) {
    const int64_t length = sample.tensors[0].extent(1);
    const float* values = sample.tensors[0].row(row);
    const Moments moments = moments_of(values, length);
    const float inverse = inverse_root(moments.variance);
    for (int64_t k = 0; k < length; ++k) {
      const auto i = static_cast<size_t>(k);
      result.push_back((values[k] - moments.mean) * inverse * sample.tensors[1].data[i] +
                       (with_bias ? sample.tensors[2].data[i] : 0.0F));
    }
  };
}

}  // namespace

Family layer_norm_family() {
  Family family;
  family.name = "layer norm";
  family.draw = [](int64_t length, int number, Random& random) {
    const int64_t rows = std::max(kMinimumRows, kElements / length);
    const auto element = [&] { return number % 2 == 0 ? random.normal() : random.uniform(0, 1); };
    const auto weight = [&] { return random.uniform(0.4F, 1.6F); };
    const auto bias = [&] { return random.uniform(-0.1F, 0.1F); };
    return Sample{{make_tensor({rows, length}, element), make_tensor({length}, weight), make_tensor({length}, bias)}};
  };
  family.output_shape = [](const Sample& sample) { return sample.tensors[0].shape; };
  family.truth = [](const Sample& sample) { return compute(sample, ExactSums()); };
  family.native = [](const Sample& sample, Random* random) { return compute(sample, NativeSums(random)); };
  const auto reported = [](std::string name, MomentsOf moments_of) {
    return Kernel{std::move(name), Expectation::kReported, over_rows(normalised(moments_of, exact_inverse))};
  };
  family.kernels = {honest_rows("two passes, a warp a row", normalised(two_pass, exact_inverse)),
                    honest_rows("Welford, a warp a row", normalised(welford, exact_inverse)),
                    honest_rows("one pass, shifted, a warp a row", normalised(one_pass_shifted, exact_inverse)),
                    honest_rows("rsqrt.approx", normalised(two_pass, approximate_inverse)),
                    reported("one pass, not shifted", one_pass_plain),
                    reported("two passes, one thread a row", two_pass_one_thread),
                    reported("Welford, one thread a row", welford_one_thread),
                    buggy_rows("eps outside the root", normalised(two_pass, eps_outside)),
                    buggy_rows("no eps", normalised(two_pass, without_eps)),
                    buggy_rows("unbiased variance", normalised(unbiased, exact_inverse)),
                    buggy_rows("mean in half", normalised(half_mean, exact_inverse)),
                    buggy_rows("statistics of half the row", normalised(first_half_only, exact_inverse)),
                    buggy_rows("missing bias", normalised(two_pass, exact_inverse, false))};
  return family;
}

}  // namespace stitch::calibration
