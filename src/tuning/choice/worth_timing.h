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
  double within = 1.7;            // times the best estimate of its side: settings estimated slower are not tried
  double within_libraries = 1.9;  // of which there are few, and their estimates are rougher
  // Of the program's estimated time, for all steps together that are equal: shorter ones are left as they are. Deep
  // networks have a hundred different steps, none of which takes a hundredth.
  double min_share = 0.003;
};

// The trials in the order to make them, the most valuable first in case the budget ends early. Of each step the setting
// that the plan has chosen is the first, whatever its estimate, since the plan may know its time from elsewhere; then
// comes the best of the other side (a library's beside one of our own, our own beside a library's), then the best of
// each kind (plan/cost/fitted.h), then the rest by their estimates. Equal steps are tried once, for the time of all of
// them. Among steps a trial counts for this time over the rivals that it has by then: the third setting of steps of
// 60 us comes before the first of steps of 15.
std::vector<Trial> worth_timing(const plan::Plan& plan, const TrialLimits& limits, bool with_libraries);

}  // namespace stitch::tuning
