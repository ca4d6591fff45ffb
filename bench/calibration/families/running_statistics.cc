// SPDX-License-Identifier: Apache-2.0
// Batch norm's new running mean and variance over K elements a channel: an output of few elements.
#include <cmath>
#include <tuple>

#include "calibration/arithmetic.h"
#include "calibration/family.h"
#include "calibration/sums.h"

namespace stitch::calibration {
namespace {

constexpr int64_t kChannels = 64;
constexpr float kMomentum = 0.1F;

template <typename Sums>
auto compute(const Sample& sample, const Sums& sums) {
  using Real = typename Sums::Real;
  const Tensor& x = sample.tensors[0];
  const int64_t length = x.extent(1);
  std::vector<Real> means;
  std::vector<Real> variances;
  const auto mix = [](float old, Real fresh) {
    return (1 - static_cast<Real>(kMomentum)) * static_cast<Real>(old) + static_cast<Real>(kMomentum) * fresh;
  };
  for (int64_t channel = 0; channel < kChannels; ++channel) {
    const float* values = x.row(channel);
    const Real mean = sums.sum(length, [&](int64_t k) { return values[k]; }) / static_cast<Real>(length);
    const auto square = [&](int64_t k) {
      const Real difference = static_cast<Real>(values[k]) - mean;
      return difference * difference;
    };
    const Real variance = sums.sum(length, square) / static_cast<Real>(length - 1);
    means.push_back(mix(sample.tensors[1].data[static_cast<size_t>(channel)], mean));
    variances.push_back(mix(sample.tensors[2].data[static_cast<size_t>(channel)], variance));
  }
  means.insert(means.end(), variances.begin(), variances.end());
  return means;
}

struct Settings {
  bool welford = false;
  bool biased = false;
  bool stale_mean = false;
  bool stale_variance = false;
  float momentum = kMomentum;
};

std::pair<float, float> moments(const float* values, int64_t length, bool welford) {
  float mean = 0;
  float squares = 0;
  if (welford) {
    for (int64_t k = 0; k < length; ++k) {
      const float difference = values[k] - mean;
      mean += difference / static_cast<float>(k + 1);
      squares += difference * (values[k] - mean);
    }
    return {mean, squares};
  }
  for (int64_t k = 0; k < length; ++k) {
    mean += values[k];
  }
  mean /= static_cast<float>(length);
  for (int64_t k = 0; k < length; ++k) {
    squares += (values[k] - mean) * (values[k] - mean);
  }
  return {mean, squares};
}

std::function<std::vector<float>(const Sample&)> updated(Settings settings) {
  return [settings](const Sample& sample) {
    const Tensor& x = sample.tensors[0];
    const int64_t length = x.extent(1);
    std::vector<float> result(2 * kChannels);
    for (size_t channel = 0; channel < kChannels; ++channel) {
      const float old_mean = sample.tensors[1].data[channel];
      const float old_variance = sample.tensors[2].data[channel];
      const auto [mean, squares] = moments(x.row(static_cast<int64_t>(channel)), length, settings.welford);
      const float variance = squares / static_cast<float>(settings.biased ? length : length - 1);
      const float kept = 1.0F - settings.momentum;
      result[channel] = settings.stale_mean ? old_mean : kept * old_mean + settings.momentum * mean;
      result[kChannels + channel] =
          settings.stale_variance ? old_variance : kept * old_variance + settings.momentum * variance;
    }
    return result;
  };
}

}  // namespace

Family running_statistics_family() {
  Family family;
  family.name = "running statistics";
  family.draw = [](int64_t length, int number, Random& random) {
    const auto element = [&] { return number % 2 == 0 ? random.normal() : random.uniform(0, 1); };
    return Sample{{make_tensor({kChannels, length}, element),
                   make_tensor({kChannels}, [&] { return 0.5F * random.normal(); }),
                   make_tensor({kChannels}, [&] { return random.uniform(0.5F, 2); })}};
  };
  family.output_shape = [](const Sample&) { return std::vector<int64_t>{2 * kChannels}; };
  family.truth = [](const Sample& sample) { return compute(sample, ExactSums()); };
  family.native = [](const Sample& sample, Random* random) { return compute(sample, NativeSums(random)); };
  Settings welford;
  welford.welford = true;
  Settings biased;
  biased.biased = true;
  Settings stale_mean;
  stale_mean.stale_mean = true;
  Settings stale_variance;
  stale_variance.stale_variance = true;
  Settings momentum;
  momentum.momentum = 1.0F - kMomentum;
  family.kernels = {{"two passes", Expectation::kHonest, updated({})},
                    {"Welford", Expectation::kHonest, updated(welford)},
                    {"biased variance", Expectation::kBug, updated(biased)},
                    {"stale mean", Expectation::kBug, updated(stale_mean)},
                    {"stale variance", Expectation::kBug, updated(stale_variance)},
                    {"momentum and its complement swapped", Expectation::kBug, updated(momentum)}};
  return family;
}

}  // namespace stitch::calibration
