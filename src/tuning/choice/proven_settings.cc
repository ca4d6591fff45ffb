// SPDX-License-Identifier: Apache-2.0
#include "tuning/choice/proven_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/hash/sha256.h"

namespace stitch::tuning {
namespace {

constexpr const char* kWhole = "whole_";
constexpr double kLeastVariation = 0.01;  // from one run to the next, whatever one run says of itself

double variation(const Measurement& measured) { return std::max(measured.spread, kLeastVariation); }

// The plan's own where nothing better is proven.
kernels::Setting proven_setting(const plan::Step& step, const std::string& signature, const KnownTimes& known) {
  const std::optional<Measurement> own = known(signature, step.setting);
  kernels::Setting best = step.setting;
  if (!own.has_value()) {
    return best;
  }
  std::optional<Measurement> fastest = own;
  for (const plan::Alternative& other : step.alternatives) {
    const std::optional<Measurement> rival = known(signature, other.setting);
    if (rival.has_value() && is_faster(*rival, *own) && rival->median_us < fastest->median_us) {
      best = other.setting;
      fastest = rival;
    }
  }
  return best;
}

}  // namespace

bool is_faster(const Measurement& rival, const Measurement& own) {
  return std::isfinite(rival.median_us) &&
         rival.median_us * (1 + variation(rival)) < own.median_us * (1 - std::min(variation(own), 0.5));
}

ProvenSettings proven_settings(const plan::Plan& plan, const KnownTimes& known) {
  ProvenSettings proven;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const plan::Step& step = plan.steps[i];
    if (step.phase != plan::Phase::kRun) {
      continue;
    }
    const std::string signature = plan::step_signature(plan::step_group(plan, i), step.skeleton);
    const auto [of_step, is_new] = proven.of_steps.emplace(signature, proven_setting(step, signature, known));
    proven.replaced += is_new && of_step->second != step.setting ? 1 : 0;
  }
  return proven;
}

plan::MeasuredTimes only_these(ProvenSettings settings) {
  return [settings = std::move(settings)](const std::string& signature,
                                          const kernels::Setting& setting) -> std::optional<double> {
    const auto found = settings.of_steps.find(signature);
    if (found == settings.of_steps.end()) {
      return std::nullopt;
    }
    return found->second == setting ? 0.0 : std::numeric_limits<double>::infinity();
  };
}

bool are_same_steps(const plan::Plan& a, const plan::Plan& b) {
  return a.form.layout == b.form.layout && std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(),
                                                      [](const plan::Step& one, const plan::Step& other) {
                                                        return one.name == other.name && one.skeleton == other.skeleton;
                                                      });
}

bool is_same_work(const plan::Plan& a, const plan::Plan& b) {
  return are_same_steps(a, b) &&
         std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(),
                    [](const plan::Step& one, const plan::Step& other) { return one.setting == other.setting; });
}

kernels::Setting setting_of_whole(const plan::Plan& plan) {
  std::string text = plan::to_string(plan.form);
  for (const plan::Step& step : plan.steps) {
    text += fmt::format("\n{} {} {} {}", step.name, step.skeleton, step.setting.variant, step.setting.splits);
  }
  constexpr size_t kDigits = 16;
  return {kWhole + sha256_hex(text).substr(0, kDigits), 1};
}

bool is_of_whole(const kernels::Setting& setting) { return setting.variant.starts_with(kWhole); }

}  // namespace stitch::tuning
