// SPDX-License-Identifier: Apache-2.0
// Host choices in a plan: steps in another order, streams, and the memory and time that follow.
#pragma once

#include "plan/plan.h"

namespace stitch::plan {

// Places buffers and works the plan's time out again, by its steps and host choices as they stand.
void settle(Plan& plan);

// kFileInvalid, in a sentence, where plan.host and the order of the steps cannot be.
Result<void> check_host(const Plan& plan);

}  // namespace stitch::plan
