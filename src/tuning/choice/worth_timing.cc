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

bool by_estimate(const plan::Alternative& a, const plan::Alternative& b) { return a.estimated_us < b.estimated_us; }

// The best by estimate, cut short, and the one that was chosen.
void keep_promising(std::vector<plan::Alternative>& settings, const TrialLimits& limits,
                    const kernels::Setting& chosen) {
  std::stable_sort(settings.begin(), settings.end(), by_estimate);
  const auto is_chosen = [&](const plan::Alternative& one) { return one.setting == chosen; };
  const auto is_slow = [&](const plan::Alternative& one) {
    return one.estimated_us > limits.within * settings[0].estimated_us;
  };
  auto end = std::find_if(settings.begin(), settings.end(), is_slow);
  end = std::min(end, settings.begin() + static_cast<ptrdiff_t>(std::min(settings.size(), limits.settings_per_step)));
  const auto found = std::find_if(end, settings.end(), is_chosen);
  if (found != settings.end()) {
    std::iter_swap(end, found);
    ++end;
  }
  settings.erase(end, settings.end());
}

std::vector<kernels::Setting> settings_to_try(const plan::Plan& plan, size_t index, const TrialLimits& limits,
                                              bool with_libraries) {
  const plan::Step& step = plan.steps[index];
  const kernels::KernelTemplate* kernel = kernels::find_template(step.skeleton);
  const auto of_libraries =
      kernel->library_space(plan::step_group(plan, index), kernels::known_devices().front(), plan.math);
  std::vector<plan::Alternative> own = all_settings(step);
  const auto first_of_libraries = std::stable_partition(own.begin(), own.end(), [&](const plan::Alternative& one) {
    return std::find(of_libraries.begin(), of_libraries.end(), one.setting) == of_libraries.end();
  });
  std::vector<plan::Alternative> libraries(first_of_libraries, own.end());
  own.erase(first_of_libraries, own.end());
  keep_promising(own, limits, step.setting);
  keep_promising(libraries, limits, step.setting);
  if (with_libraries) {
    own.insert(own.end(), libraries.begin(), libraries.end());
  }
  std::stable_sort(own.begin(), own.end(), by_estimate);
  std::stable_partition(own.begin(), own.end(),
                        [&](const plan::Alternative& one) { return one.setting == step.setting; });
  std::vector<kernels::Setting> chosen;
  for (const plan::Alternative& one : own) {
    chosen.push_back(one.setting);
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
