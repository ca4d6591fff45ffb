// SPDX-License-Identifier: Apache-2.0
#include "tuning/shipped/merge_times.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "tuning/choice/proven_settings.h"

namespace stitch::tuning {
namespace {

using StepId = std::tuple<std::string, std::string, std::string>;  // device, mode, signature

bool is_program(const kernels::Setting& setting) {
  using plan::Layout, plan::Style;
  for (const Layout layout : {Layout::kChannelsFirst, Layout::kChannelsLast}) {
    for (const Style style : {Style::kByCost, Style::kByLibraries}) {
      if (setting == plan::setting_of({layout, style})) {
        return true;
      }
    }
  }
  return false;
}

KnownStep step_of(const KnownTime& time) {
  KnownStep step{
      time.context.device, time.context.math, "-", "-", time.signature.substr(0, kSignatureDigits), 0, {}, {}};
  if (time.record.has_value()) {
    step.skeleton = time.record->skeleton;
    step.family = time.record->family;
    step.modelled_us = time.record->modelled_us;
    step.extents = time.record->extents;
  } else if (is_program(time.setting)) {
    step.skeleton = "program";
  }
  return step;
}

void add(std::vector<KnownSetting>& settings, const KnownTime& time) {
  const auto same = std::find_if(settings.begin(), settings.end(),
                                 [&](const KnownSetting& known) { return known.setting == time.setting; });
  if (same == settings.end()) {
    settings.push_back({time.setting, time.measurement});
    return;
  }
  const auto rank = [](const Measurement& one) { return std::pair(one.spread, one.median_us); };
  if (rank(time.measurement) < rank(same->measurement)) {
    same->measurement = time.measurement;
  }
}

void shorten(std::vector<KnownSetting>& settings, const MergeLimits& limits) {
  std::sort(settings.begin(), settings.end(), [](const KnownSetting& a, const KnownSetting& b) {
    return std::tie(a.measurement.median_us, a.setting.variant, a.setting.splits) <
           std::tie(b.measurement.median_us, b.setting.variant, b.setting.splits);
  });
  const double slowest_us = limits.within * settings.front().measurement.median_us;
  size_t kept = 0;
  std::erase_if(settings, [&](const KnownSetting& known) {
    const double us = known.measurement.median_us;
    return std::isfinite(us) && (!(us <= slowest_us) || ++kept > limits.settings_per_step);
  });
}

}  // namespace

std::vector<KnownStep> merge_times(const std::vector<KnownTime>& times, const MergeLimits& limits) {
  std::map<StepId, KnownStep> steps;
  for (const KnownTime& time : times) {
    if (is_of_whole(time.setting)) {
      continue;  // of one plan beside another, on that machine
    }
    const StepId id{time.context.device, time.context.math, time.signature};
    add(steps.emplace(id, step_of(time)).first->second.settings, time);
  }
  std::vector<KnownStep> sorted;
  for (auto& [id, step] : steps) {
    shorten(step.settings, limits);
    sorted.push_back(std::move(step));
  }
  std::sort(sorted.begin(), sorted.end(), [](const KnownStep& a, const KnownStep& b) {
    return std::tie(a.device, a.math, a.skeleton, a.family, a.extents, a.signature) <
           std::tie(b.device, b.math, b.skeleton, b.family, b.extents, b.signature);
  });
  return sorted;
}

}  // namespace stitch::tuning
