// SPDX-License-Identifier: Apache-2.0
// What the program of a plan cannot be faster than, on the device that it is planned for.
#pragma once

#include <optional>

#include "artifact/task/math_mode.h"
#include "plan/plan.h"

namespace stitch::driver {

// The physical floor (evaluate/timing/floor.h) in microseconds, with nothing kept in a cache, so that it stands beside
// modelled times. Nothing where no datasheet knows the device, where the floor is zero, or where the plan's graph has
// another batch than the program as declared.
std::optional<double> plan_floor_us(const plan::Plan& plan, MathMode math);

}  // namespace stitch::driver
