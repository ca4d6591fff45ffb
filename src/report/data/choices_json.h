// SPDX-License-Identifier: Apache-2.0
// How each step's setting was chosen: times that were measured, and what else could have been taken.
#pragma once

#include "base/json/json_forward.h"

namespace stitch::report {

// Adds `measured_us`, `alternatives` (the best few) and `alternatives_total` to each of `steps`, from plan.json as it
// was written: a plan that is read back has no measured times, since they are no part of what it computes.
void add_choices(const Json& plan_json, Json& steps);

}  // namespace stitch::report
