// SPDX-License-Identifier: Apache-2.0
// Which settings of a plan's steps are worth timing: the estimate tells good settings from bad ones well, but not the
// best from the second.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace stitch::tuning {

struct Trial {
  size_t step = 0;
  std::string signature;
  kernels::Setting setting;
};

struct TrialLimits {
  // Of our own, the estimated best included, and of libraries likewise.
  size_t settings_per_step = 4;
  double within = 1.7;      // times the best estimate of its kind: settings estimated slower are not tried
  double min_share = 0.03;  // of the program's estimated time: shorter steps are left as they are
};

// Settings that the plan has chosen are tried whatever their estimates, since it may know their times from elsewhere.
// The trials in the order to make them, the most valuable first in case the budget ends early: the most expensive steps
// first, and of each step the setting that the plan has chosen, then its rivals by their estimates, be they a library's
// or our own. Equal steps are tried once.
std::vector<Trial> worth_timing(const plan::Plan& plan, const TrialLimits& limits, bool with_libraries);

}  // namespace stitch::tuning
