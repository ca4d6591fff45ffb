// SPDX-License-Identifier: Apache-2.0
// What every reward profile makes of a program that was judged and marked.
#pragma once

#include "base/json/json_forward.h"
#include "rubric/score/score.h"

namespace stitch::driver {

// [{"profile", "reward", "reason", "parts"}], without times of PyTorch.
Json rewards_of(const rubric::Facts& facts, const rubric::Score& score);

}  // namespace stitch::driver
