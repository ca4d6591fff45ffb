// SPDX-License-Identifier: Apache-2.0
#include "rl/value/moments.h"

#include <cmath>

#include "base/error/check.h"

namespace stitch::rl {
namespace {

void add(Moments& moments, double value) {
  moments.count += 1;
  const double distance = value - moments.mean;
  moments.mean += distance / moments.count;
  moments.squares += distance * (value - moments.mean);
}

}  // namespace

double Moments::variance() const { return count > 1 ? squares / (count - 1) : 0; }

Moments moments_of(std::span<const double> values) {
  Moments moments;
  for (const double value : values) {
    add(moments, value);
  }
  return moments;
}

Moments moments_of(std::span<const double> values, std::span<const uint8_t> mask) {
  STITCH_CHECK(values.size() == mask.size()) << "a mask for each value";
  Moments moments;
  for (size_t i = 0; i < values.size(); ++i) {
    if (mask[i] != 0) {
      add(moments, values[i]);
    }
  }
  return moments;
}

Moments merged(const Moments& a, const Moments& b) {
  if (a.count == 0 || b.count == 0) {
    return a.count == 0 ? b : a;
  }
  const double count = a.count + b.count;
  const double distance = b.mean - a.mean;
  return {.count = count,
          .mean = a.mean + distance * b.count / count,
          .squares = a.squares + b.squares + distance * distance * a.count * b.count / count};
}

std::vector<double> whitened(std::span<const double> values, std::span<const uint8_t> mask, const Moments& moments,
                             double eps) {
  STITCH_CHECK(values.size() == mask.size()) << "a mask for each value";
  const double factor = 1 / std::sqrt(moments.variance() + eps);
  std::vector<double> result(values.size(), 0.0);
  for (size_t i = 0; i < values.size(); ++i) {
    if (mask[i] != 0) {
      result[i] = (values[i] - moments.mean) * factor;
    }
  }
  return result;
}

}  // namespace stitch::rl
