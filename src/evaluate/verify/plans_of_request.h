// SPDX-License-Identifier: Apache-2.0
// What is drawn for a request: the declared shapes first, as many draws as its uses need and its device can afford.
#pragma once

#include <vector>

#include "evaluate/verify/draw_queue.h"
#include "evaluate/verify/verify_program.h"

namespace stitch::evaluate {

std::vector<DrawPlan> plans_of(const VerifyRequest& request);

// Of all subjects, as far as it is known: a subject that names no regimes has as many as its program, and most programs
// have the same. No regime has more draws than `most`.
int all_draws(const VerifyRequest& request, size_t regimes, int most);

}  // namespace stitch::evaluate
