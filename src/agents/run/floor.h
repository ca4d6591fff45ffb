// SPDX-License-Identifier: Apache-2.0
// What no program of a graph can be faster than.
#pragma once

#include "plan/plan.h"

namespace stitch::agents {

// In microseconds a call, launches aside: the graph's arithmetic, or its inputs read and its results written once,
// since values between steps may be in no memory. Never more than what the plan's steps take by the model: they may
// read a part of their inputs alone, and leave states where they are. 0 where the device is not known.
double floor_of(const plan::Plan& plan);

}  // namespace stitch::agents
