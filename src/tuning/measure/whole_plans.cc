// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/whole_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stitch::tuning {
namespace {

constexpr const char* kNoRoom = "the budget had ended";
constexpr const char* kUnsteady = "its times were unsteady";

void note(WholePlan& plan, const std::optional<Measurement>& measured) {
  plan.measured = measured;
  if (!measured.has_value()) {
    plan.why_not = kUnsteady;
  } else if (!std::isfinite(measured->median_us)) {
    plan.why_not = "it does not run";
  }
}

void time_rival(WholePlan& rival, size_t number, const WholePlanOptions& options) {
  if (!options.has_room()) {
    rival.why_not = kNoRoom;
    return;
  }
  const Result<std::optional<Measurement>> measured = options.measure(number);
  if (measured.has_value()) {
    note(rival, *measured);
  } else {
    rival.why_not = measured.error().message;
  }
}

}  // namespace

Result<size_t> fastest(std::vector<WholePlan>& plans, const WholePlanOptions& options) {
  const double most_us = options.within * plans.front().expected_us;
  bool has_rivals = false;
  for (size_t i = 1; i < plans.size(); ++i) {
    const bool is_near = plans[i].why_not.empty() && plans[i].expected_us <= most_us;
    if (!is_near && plans[i].why_not.empty()) {
      plans[i].why_not = fmt::format("it is expected to take more than {} times as long", options.within);
    }
    has_rivals = has_rivals || is_near;
  }
  if (!has_rivals) {
    return 0;
  }
  if (options.has_room()) {
    STITCH_ASSIGN(const std::optional<Measurement> measured, options.measure(0));
    note(plans.front(), measured);
  } else {
    plans.front().why_not = kNoRoom;
  }
  if (!plans.front().measured.has_value()) {
    return 0;
  }
  size_t best = 0;
  for (size_t i = 1; i < plans.size(); ++i) {
    if (plans[i].why_not.empty()) {
      time_rival(plans[i], i, options);
    }
    if (plans[i].measured.has_value() && plans[i].measured->median_us < plans[best].measured->median_us) {
      best = i;
    }
  }
  return best;
}

}  // namespace stitch::tuning
