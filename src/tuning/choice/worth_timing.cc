// SPDX-License-Identifier: Apache-2.0
#include "tuning/choice/worth_timing.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "kernels/builtin_templates.h"
#include "plan/cost/fitted.h"

namespace stitch::tuning {
namespace {

std::vector<plan::Alternative> all_settings(const plan::Step& step) {
  std::vector<plan::Alternative> settings = {{step.setting, step.estimated_us, step.measured_us}};
  settings.insert(settings.end(), step.alternatives.begin(), step.alternatives.end());
  return settings;
}

bool by_estimate(const plan::Alternative& a, const plan::Alternative& b) { return a.estimated_us < b.estimated_us; }

// The best of each kind to the front, the rest behind them, both in the order they have: within a kind the estimate
// errs alike for all, between kinds it does not, and a budget may end after a few.
void put_kinds_first(std::vector<plan::Alternative>& settings) {
  std::set<std::string_view> seen;
  std::vector<plan::Alternative> first, rest;
  for (const plan::Alternative& one : settings) {
    (seen.insert(plan::kind_of_variant(one.setting.variant)).second ? first : rest).push_back(one);
  }
  first.insert(first.end(), rest.begin(), rest.end());
  settings = std::move(first);
}

// The best by estimate, cut short.
void keep_promising(std::vector<plan::Alternative>& settings, double within, const TrialLimits& limits) {
  std::stable_sort(settings.begin(), settings.end(), by_estimate);
  const auto is_slow = [&](const plan::Alternative& one) {
    return one.estimated_us > within * settings[0].estimated_us;
  };
  settings.erase(std::find_if(settings.begin(), settings.end(), is_slow), settings.end());
  put_kinds_first(settings);
  settings.resize(std::min(settings.size(), limits.settings_per_step));
}

// `chosen` first, then the best of our own or of libraries, whichever it is not of, then the best of each kind, then
// all by estimate.
std::vector<kernels::Setting> in_order(const kernels::Setting& chosen, const std::vector<plan::Alternative>& own,
                                       const std::vector<plan::Alternative>& libraries) {
  std::vector<kernels::Setting> order = {chosen};
  std::vector<plan::Alternative> rest;
  for (const std::vector<plan::Alternative>* side : {&own, &libraries}) {
    const bool has_chosen =
        std::any_of(side->begin(), side->end(), [&](const plan::Alternative& one) { return one.setting == chosen; });
    if (!has_chosen && !side->empty()) {
      order.push_back(side->front().setting);
    }
    rest.insert(rest.end(), side->begin(), side->end());
  }
  std::stable_sort(rest.begin(), rest.end(), by_estimate);
  put_kinds_first(rest);
  for (const plan::Alternative& one : rest) {
    if (std::find(order.begin(), order.end(), one.setting) == order.end()) {
      order.push_back(one.setting);
    }
  }
  return order;
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
  keep_promising(own, limits.within, limits);
  keep_promising(libraries, limits.within_libraries, limits);
  std::vector<kernels::Setting> order = in_order(step.setting, own, libraries);
  std::erase_if(order, [&](const kernels::Setting& one) {
    const bool is_of_library = std::find(of_libraries.begin(), of_libraries.end(), one) != of_libraries.end();
    return !kernel->is_timed_alone(one) || (is_of_library && !with_libraries);
  });
  return order;
}

// Steps of one signature: equal work, timed once.
struct EqualSteps {
  size_t first = 0;
  std::string signature;
  double total_us = 0;  // estimated
};

// Of those that run in a call, the dearest first.
std::vector<EqualSteps> equal_steps(const plan::Plan& plan) {
  std::map<std::string, size_t> places;
  std::vector<EqualSteps> all;
  for (size_t index = 0; index < plan.steps.size(); ++index) {
    const plan::Step& step = plan.steps[index];
    if (step.phase != plan::Phase::kRun || !kernels::find_template(step.skeleton)->is_timed_alone(step.setting)) {
      continue;
    }
    std::string signature = plan::step_signature(plan::step_group(plan, index), step.skeleton);
    const auto [place, is_new] = places.emplace(signature, all.size());
    if (is_new) {
      all.push_back({index, std::move(signature)});
    }
    all[place->second].total_us += step.estimated_us;
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const EqualSteps& a, const EqualSteps& b) { return a.total_us > b.total_us; });
  return all;
}

// What a trial is worth beside those of other steps: what is found out of a step's first rival tells most. A step's
// own setting has to be known before that.
double worth(const EqualSteps& steps, size_t rival) {
  return steps.total_us / static_cast<double>(std::max<size_t>(rival, 1));
}

}  // namespace

std::vector<Trial> worth_timing(const plan::Plan& plan, const TrialLimits& limits, bool with_libraries) {
  const std::vector<EqualSteps> all = equal_steps(plan);
  const double total_us = std::accumulate(all.begin(), all.end(), 0.0,
                                          [](double sum, const EqualSteps& steps) { return sum + steps.total_us; });
  std::vector<std::pair<double, Trial>> valued;
  for (const EqualSteps& steps : all) {
    if (steps.total_us < limits.min_share * total_us) {
      break;
    }
    const auto settings = settings_to_try(plan, steps.first, limits, with_libraries);
    for (size_t rival = 0; settings.size() > 1 && rival < settings.size(); ++rival) {
      valued.emplace_back(worth(steps, rival), Trial{steps.first, steps.signature, settings[rival]});
    }
  }
  std::stable_sort(valued.begin(), valued.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Trial> trials;
  for (const auto& [value, trial] : valued) {
    trials.push_back(trial);
  }
  return trials;
}

}  // namespace stitch::tuning
