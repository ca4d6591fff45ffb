// SPDX-License-Identifier: Apache-2.0
#include "tuning/shipped/shipped_times.h"

#include <algorithm>
#include <cmath>

namespace stitch::tuning {
namespace {

// How far the two lie apart; nothing where some extent is beyond the limit, or where they are not of one kind.
std::optional<double> distance(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  if (a.size() != b.size()) {
    return std::nullopt;
  }
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double apart = std::log(static_cast<double>(a[i]) / static_cast<double>(b[i]));
    if (!(std::abs(apart) <= std::log(kMostApart) * (1 + 1e-9))) {
      return std::nullopt;
    }
    sum += apart * apart;
  }
  return sum;
}

const KnownSetting* find_setting(const KnownStep& step, const kernels::Setting& setting) {
  const auto found = std::find_if(step.settings.begin(), step.settings.end(),
                                  [&](const KnownSetting& known) { return known.setting == setting; });
  return found == step.settings.end() ? nullptr : &*found;
}

}  // namespace

ShippedTimes::ShippedTimes(const std::vector<KnownStep>& steps, const std::string& device, const std::string& math) {
  for (const KnownStep& step : steps) {
    if (step.device == device && step.math == math) {
      by_signature_.emplace(step.signature, step);
    }
  }
  for (const auto& [signature, step] : by_signature_) {
    if (step.family != "-" && step.modelled_us > 0) {
      by_family_.emplace(step.family, &step);
    }
  }
}

const KnownStep* ShippedTimes::find(const std::string& signature) const {
  const auto found = by_signature_.find(signature.substr(0, kSignatureDigits));
  return found == by_signature_.end() ? nullptr : &found->second;
}

std::optional<double> ShippedTimes::us(const std::string& signature, const kernels::Setting& setting) const {
  if (const KnownStep* same = find(signature); same != nullptr) {
    const KnownSetting* known = find_setting(*same, setting);
    return known == nullptr ? std::nullopt : std::optional(known->measurement.median_us);
  }
  const auto carried = carried_.find(signature);
  if (carried == carried_.end()) {
    return std::nullopt;
  }
  const KnownSetting* known = find_setting(*carried->second.from, setting);
  if (known == nullptr || !std::isfinite(known->measurement.median_us)) {
    return std::nullopt;  // what does not run at other extents may run at these
  }
  return carried->second.scale * known->measurement.median_us;
}

bool ShippedTimes::carry_over(const std::string& signature, const StepRecord& record) {
  if (knows(signature) || is_carried(signature)) {
    return false;
  }
  const KnownStep* nearest = nullptr;
  double least = 0;
  const auto [begin, end] = by_family_.equal_range(record.family);
  for (auto other = begin; other != end; ++other) {
    const std::optional<double> apart = distance(record.extents, other->second->extents);
    if (apart.has_value() && (nearest == nullptr || *apart < least)) {
      nearest = other->second;
      least = *apart;
    }
  }
  if (nearest == nullptr || !(record.modelled_us > 0)) {
    return false;
  }
  carried_[signature] = {nearest, record.modelled_us / nearest->modelled_us};
  return true;
}

}  // namespace stitch::tuning
