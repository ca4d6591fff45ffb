// SPDX-License-Identifier: Apache-2.0
// What the settings of a step are expected to cost.
#pragma once

#include <vector>

#include "plan/partition/assemble.h"

namespace stitch::plan {

struct Price {
  bool by_library = false;
  double us = 0;  // by which settings are compared
  Alternative cost;
};

// Those that the step's kernel offers under `options`, and libraries' where they may be used.
std::vector<Setting> offered_settings(const ChosenStep& chosen, const PlanOptions& options);
// Best first. What nobody measured must be estimated clearly better than what was, since the best of many estimates
// is mostly one that is too good, and by as much more as the step's measured settings were slower than estimated. A
// library must be so beside our own kernel too, since its calls cost the host more than a launch does. Where libraries
// are wanted anyhow, one goes first until one of them was measured; in a plan by libraries one that works always does.
std::vector<Price> prices(const ChosenStep& chosen, const std::vector<Setting>& settings, const PlanOptions& options);
// What the group is expected to take with its best setting.
double expected_us(const PlacedGroup& placed, const PlanOptions& options);

}  // namespace stitch::plan
