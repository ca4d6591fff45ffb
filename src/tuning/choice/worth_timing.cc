// SPDX-License-Identifier: Apache-2.0
#include "tuning/choice/worth_timing.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "kernels/builtin_templates.h"

namespace stitch::tuning {
namespace {

std::vector<plan::Alternative> all_settings(const plan::Step& step) {
  std::vector<plan::Alternative> settings = {{step.setting, step.estimated_us, step.measured_us}};
  settings.insert(settings.end(), step.alternatives.begin(), step.alternatives.end());
  return settings;
}

// Our own, best estimate first, cut short; then libraries.
std::vector<kernels::Setting> settings_to_try(const plan::Plan& plan, size_t index, const TrialLimits& limits,
                                              bool with_libraries) {
  const plan::Step& step = plan.steps[index];
  const kernels::KernelTemplate* kernel = kernels::find_template(step.skeleton);
  const auto libraries =
      kernel->library_space(plan::step_group(plan, index), kernels::known_devices().front(), plan.math);
  const auto is_library = [&](const kernels::Setting& setting) {
    return std::find(libraries.begin(), libraries.end(), setting) != libraries.end();
  };
  std::vector<plan::Alternative> own = all_settings(step);
  std::erase_if(own, [&](const plan::Alternative& candidate) { return is_library(candidate.setting); });
  std::stable_sort(own.begin(), own.end(),
                   [](const auto& a, const auto& b) { return a.estimated_us < b.estimated_us; });
  std::vector<kernels::Setting> chosen;
  for (const plan::Alternative& candidate : own) {
    if (chosen.size() < limits.settings_per_step && candidate.estimated_us <= limits.within * own[0].estimated_us) {
      chosen.push_back(candidate.setting);
    }
  }
  if (with_libraries) {
    chosen.insert(chosen.end(), libraries.begin(), libraries.end());
  }
  return chosen;
}

}  // namespace

std::vector<Trial> worth_timing(const plan::Plan& plan, const TrialLimits& limits, bool with_libraries) {
  std::vector<size_t> order(plan.steps.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return plan.steps[a].estimated_us > plan.steps[b].estimated_us; });
  double total_us = 0;
  for (const plan::Step& step : plan.steps) {
    total_us += step.phase == plan::Phase::kRun ? step.estimated_us : 0;
  }
  std::set<std::string> seen;
  std::vector<Trial> trials;
  for (const size_t index : order) {
    const plan::Step& step = plan.steps[index];
    if (step.phase != plan::Phase::kRun || step.estimated_us < limits.min_share * total_us) {
      continue;
    }
    const std::string signature = plan::step_signature(plan::step_group(plan, index), step.skeleton);
    const auto settings = settings_to_try(plan, index, limits, with_libraries);
    if (settings.size() < 2 || !seen.insert(signature).second) {
      continue;
    }
    for (const kernels::Setting& setting : settings) {
      trials.push_back({index, signature, setting});
    }
  }
  return trials;
}

}  // namespace stitch::tuning
