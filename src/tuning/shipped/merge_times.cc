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

void add(std::vector<KnownSetting>& settings, const KnownSetting& more) {
  const auto same = std::find_if(settings.begin(), settings.end(),
                                 [&](const KnownSetting& known) { return known.setting == more.setting; });
  if (same == settings.end()) {
    settings.push_back(more);
    return;
  }
  const auto rank = [](const Measurement& one) { return std::pair(one.spread, one.median_us); };
  if (rank(more.measurement) < rank(same->measurement)) {
    same->measurement = more.measurement;
  }
}

// What is known of the step, from whoever knows its family.
void describe_by(const KnownStep& other, KnownStep& step) {
  if (step.family == "-" && other.family != "-") {
    std::vector<KnownSetting> settings = std::move(step.settings);
    step = other;
    step.settings = std::move(settings);
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

std::vector<KnownStep> steps_of(const std::vector<KnownTime>& times) {
  std::vector<KnownStep> steps;
  for (const KnownTime& time : times) {
    if (is_of_whole(time.setting)) {
      continue;  // of one plan beside another, on that machine
    }
    steps.push_back(step_of(time));
    steps.back().settings.push_back({time.setting, time.measurement});
  }
  return steps;
}

std::vector<KnownStep> merge_steps(const std::vector<KnownStep>& all, const MergeLimits& limits) {
  std::map<StepId, KnownStep> steps;
  for (const KnownStep& each : all) {
    KnownStep bare = each;
    bare.settings.clear();
    KnownStep& step = steps.emplace(StepId{each.device, each.math, each.signature}, std::move(bare)).first->second;
    describe_by(each, step);
    for (const KnownSetting& known : each.settings) {
      add(step.settings, known);
    }
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

std::vector<KnownStep> merge_times(const std::vector<KnownTime>& times, const MergeLimits& limits) {
  return merge_steps(steps_of(times), limits);
}

}  // namespace stitch::tuning
