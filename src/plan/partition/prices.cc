// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/prices.h"

#include <algorithm>
#include <cmath>

#include "plan/cost/fitted.h"

namespace stitch::plan {

std::vector<Setting> offered_settings(const ChosenStep& chosen, const PlanOptions& options) {
  auto settings = chosen.kernel->space(chosen.group, options.limits, options.math);
  if (chosen.phase == Phase::kRun && options.libraries != Libraries::kOff) {
    const auto more = chosen.kernel->library_space(chosen.group, options.limits, options.math);
    settings.insert(settings.end(), more.begin(), more.end());
  }
  return settings;
}

namespace {

// By how much measured settings of this step took longer than estimated, the worst of libraries' or of our own. What
// makes one slower than its model (the step's shape, or somebody beside it on the GPU) is expected of those that nobody
// measured as well: else an estimate wins just because it is one.
double shortfall(const std::vector<Price>& prices, bool by_library) {
  double worst = 1;
  for (const Price& price : prices) {
    const std::optional<double>& measured = price.cost.measured_us;
    const bool is_told = price.by_library == by_library && measured.has_value() && std::isfinite(*measured);
    if (is_told && price.cost.estimated_us > 0) {
      worst = std::max(worst, *measured / price.cost.estimated_us);
    }
  }
  return worst;
}

}  // namespace

std::vector<Price> prices(const ChosenStep& chosen, const std::vector<Setting>& settings, const PlanOptions& options) {
  constexpr double kDearerCall = 1.1;  // of a library, beside what is estimated
  constexpr double kDoubt = 1.5;       // of an estimate, beside a measured time: at least
  const std::string signature = options.measured ? step_signature(chosen.group, chosen.kernel->name()) : std::string();
  const std::vector<Setting> of_libraries = chosen.kernel->library_space(chosen.group, options.limits, options.math);
  std::vector<Price> ranked;
  const bool is_by_libraries = options.form.style == Style::kByLibraries;
  bool wants_library = is_by_libraries || options.libraries == Libraries::kOn;
  for (const Setting& setting : settings) {
    const kernels::Work work = chosen.kernel->work(chosen.group, setting);
    Alternative cost{setting, estimated_us(*chosen.kernel, setting, work, options.limits)};
    if (options.measured && chosen.kernel->is_timed_alone(setting)) {
      cost.measured_us = options.measured(signature, setting);
    }
    const bool by_library = std::find(of_libraries.begin(), of_libraries.end(), setting) != of_libraries.end();
    wants_library = is_by_libraries || (wants_library && !(by_library && cost.measured_us.has_value()));
    ranked.push_back({by_library, 0, cost});
  }
  const auto doubt = [&](bool by_library) { return std::max(kDoubt, shortfall(ranked, by_library)); };
  const double doubts[] = {doubt(false), doubt(true)};
  for (Price& price : ranked) {
    const double call = price.by_library ? kDearerCall : 1.0;
    const double doubted = options.form.believes_estimates ? 1.0 : doubts[price.by_library ? 1 : 0];
    const double expected = price.cost.estimated_us * call * doubted;
    price.us = price.cost.measured_us.value_or(expected);
  }
  // One that was found not to work is none.
  const auto goes_first = [](const Price& price) { return price.by_library && std::isfinite(price.us); };
  std::stable_sort(ranked.begin(), ranked.end(), [&](const Price& a, const Price& b) {
    return wants_library && goes_first(a) != goes_first(b) ? goes_first(a) : a.us < b.us;
  });
  return ranked;
}

double expected_us(const PlacedGroup& placed, const PlanOptions& options) {
  const ChosenStep chosen{placed.group, placed.kernel, placed.phase, {}};
  return prices(chosen, offered_settings(chosen, options), options).front().us;
}

}  // namespace stitch::plan
