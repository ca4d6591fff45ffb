// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/nearness.h"

#include <algorithm>
#include <cmath>

#include "verify/compare/constants.h"

namespace stitch::verify {
namespace {

constexpr size_t kRuns = 4;

double squared(double value) { return value * value; }

}  // namespace

void Nearness::observe(std::span<const double> got, const std::vector<std::span<const double>>& runs) {
  if (runs.size() < kRuns) {
    return;
  }
  runs_ = 2;
  const std::span<const double> own = runs.back();
  for (size_t i = 0; i < got.size(); ++i) {
    const double first = squared(runs[1][i] - own[i]);
    const double second = squared(runs[2][i] - own[i]);
    const double from_baseline = squared(got[i] - runs[0][i]);
    if (std::isfinite(first) && std::isfinite(second) && std::isfinite(from_baseline)) {
      size_ += squared(own[i]);
      apart_ += first + second;
      from_baseline_ += from_baseline;
      from_own_ += squared(got[i] - own[i]);
    }
  }
}

void Nearness::merge(const Nearness& later) {
  runs_ = std::max(runs_, later.runs_);
  size_ += later.size_;
  apart_ += later.apart_;
  from_baseline_ += later.from_baseline_;
  from_own_ += later.from_own_;
}

double Nearness::apart() const {
  return size_ > 0 && runs_ > 0 ? std::sqrt(apart_ / static_cast<double>(runs_) / size_) : 0;
}

double Nearness::distance() const { return size_ > 0 ? std::sqrt(std::min(from_baseline_, from_own_) / size_) : 0; }

bool Nearness::holds(double apart_elsewhere) const {
  return runs_ > 0 && distance() <= kNearnessMultiple * std::max(apart(), apart_elsewhere);
}

}  // namespace stitch::verify
