// SPDX-License-Identifier: Apache-2.0
// Softmax over a causally masked row: row r of R sees the first (r + 1) / R of the columns.
#include <algorithm>
#include <cmath>
#include <limits>

#include "calibration/arithmetic.h"
#include "calibration/families/row_family.h"
#include "calibration/sums.h"

namespace stitch::calibration {
namespace {

constexpr int64_t kElements = 4096;
constexpr int64_t kMinimumRows = 4;
constexpr float kSpread = 4;  // of the scores: their exponentials overflow where the largest is not taken off first

int64_t visible(const Sample& sample, int64_t row) {
  const Tensor& x = sample.tensors[0];
  return std::max<int64_t>(1, x.extent(1) * (row + 1) / x.extent(0));
}

template <typename Sums>
auto compute(const Sample& sample, const Sums& sums) {
  using Real = typename Sums::Real;
  const Tensor& x = sample.tensors[0];
  std::vector<Real> result;
  for (int64_t row = 0; row < x.extent(0); ++row) {
    const float* values = x.row(row);
    const int64_t length = visible(sample, row);
    const auto largest = static_cast<Real>(*std::max_element(values, values + length));
    const auto exponential = [&](int64_t k) { return std::exp(static_cast<Real>(values[k]) - largest); };
    const Real sum = sums.sum(length, exponential);
    for (int64_t k = 0; k < x.extent(1); ++k) {
      result.push_back(k < length ? exponential(k) / sum : Real{0});
    }
  }
  return result;
}

struct Settings {
  float (*exponential)(float) = std::exp;
  float (*divide)(float, float) = [](float a, float b) { return a / b; };
  int64_t visible_change = 0;
  bool subtracts_maximum = true;
  bool sums_all = true;
};

RowKernel two_pass(Settings settings) {
  return [settings](const Sample& sample, int64_t row, std::vector<float>& result) {
    const Tensor& x = sample.tensors[0];
    const float* values = x.row(row);
    const int64_t length = std::clamp<int64_t>(visible(sample, row) + settings.visible_change, 1, x.extent(1));
    const float largest = settings.subtracts_maximum ? *std::max_element(values, values + length) : 0.0F;
    float sum = 0;
    for (int64_t k = 0; k < length - (settings.sums_all ? 0 : 1); ++k) {
      sum += settings.exponential(values[k] - largest);
    }
    for (int64_t k = 0; k < x.extent(1); ++k) {
      result.push_back(k < length ? settings.divide(settings.exponential(values[k] - largest), sum) : 0.0F);
    }
  };
}

struct Running {
  float largest = -std::numeric_limits<float>::infinity();
  float sum = 0;
};

Running merged(Running left, Running right) {
  if (right.sum == 0) {
    return left;
  }
  const float largest = std::max(left.largest, right.largest);
  return {largest, left.sum * std::exp(left.largest - largest) + right.sum * std::exp(right.largest - largest)};
}

// Running maximum and sum in `lanes` of their own, merged by halves as a warp's shuffles do.
RowKernel online(int64_t lanes) {
  return [lanes](const Sample& sample, int64_t row, std::vector<float>& result) {
    const Tensor& x = sample.tensors[0];
    const float* values = x.row(row);
    const int64_t length = visible(sample, row);
    std::vector<Running> running(static_cast<size_t>(lanes));
    for (int64_t k = 0; k < length; ++k) {
      Running& lane = running[static_cast<size_t>(k % lanes)];
      lane = k < lanes ? Running{values[k], 1.0F} : merged(lane, {values[k], 1.0F});
    }
    for (size_t half = running.size() / 2; half > 0; half /= 2) {
      for (size_t lane = 0; lane < half; ++lane) {
        running[lane] = merged(running[lane], running[lane + half]);
      }
    }
    for (int64_t k = 0; k < x.extent(1); ++k) {
      result.push_back(k < length ? std::exp(values[k] - running[0].largest) / running[0].sum : 0.0F);
    }
  };
}

float exp_by_exp2(float x) { return std::exp2(x * 1.4426950408889634F); }
float exp_in_half(float x) { return round_to_half(std::exp(x)); }

}  // namespace

Family softmax_family() {
  Family family;
  family.name = "softmax, causal";
  family.draw = [](int64_t length, int number, Random& random) {
    const int64_t rows = std::max(kMinimumRows, kElements / length);
    return Sample{{make_tensor({rows, length},
                               [&] { return kSpread * (number % 2 == 0 ? random.normal() : random.uniform(0, 1)); })}};
  };
  family.output_shape = [](const Sample& sample) { return sample.tensors[0].shape; };
  family.truth = [](const Sample& sample) { return compute(sample, ExactSums()); };
  family.native = [](const Sample& sample, Random* random) { return compute(sample, NativeSums(random)); };
  Settings fast;
  fast.exponential = fast_exp;
  fast.divide = fast_divide;
  Settings base_two;
  base_two.exponential = exp_by_exp2;
  Settings half;
  half.exponential = exp_in_half;
  Settings mask;
  mask.visible_change = 1;
  Settings short_mask;
  short_mask.visible_change = -1;
  Settings overflowing;
  overflowing.subtracts_maximum = false;
  Settings short_sum;
  short_sum.sums_all = false;
  family.kernels = {honest_rows("two passes", two_pass({})),
                    honest_rows("online", online(1)),
                    honest_rows("online in 32 lanes, merged", online(32)),
                    honest_rows("__expf and __fdividef", two_pass(fast)),
                    honest_rows("exp2 of prescaled scores", two_pass(base_two)),
                    buggy_rows("mask one column too wide", two_pass(mask)),
                    buggy_rows("mask one column too narrow", two_pass(short_mask)),
                    buggy_rows("largest not subtracted", two_pass(overflowing)),
                    buggy_rows("sum misses the last element", two_pass(short_sum)),
                    buggy_rows("exponentials in half", two_pass(half))};
  return family;
}

}  // namespace stitch::calibration
