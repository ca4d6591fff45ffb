// SPDX-License-Identifier: Apache-2.0
// When a program is warm: code loaded, plans of its libraries made, clocks settled. By our own clock, and bounded, so
// that no program chooses how often it is called.
#pragma once

#include <span>

namespace stitch::evaluate {

enum class WarmUp {
  kGoOn,
  kWarm,     // the last times agree with each other
  kGivenUp,  // they never did; what follows is judged like anything else
};

// `times_us` of all warm-up calls so far, the first included.
WarmUp judge_warm_up(std::span<const double> times_us);

}  // namespace stitch::evaluate
