// SPDX-License-Identifier: Apache-2.0
// What the author of a candidate may be told of its verdict: everything that a compiler said, since that helps honest
// work; of a wrong answer only how wrong it was; of a broken rule only that there is one. Tolerances, seeds, regimes,
// places of wrong elements and what gave a cheat away would teach how to get past them.
#pragma once

#include <string>

#include "artifact/report/verdict.h"

namespace stitch {

// `error_ratio`: the largest error, as a multiple of the reference's own, as far as it was seen; 0 where it was not.
std::string feedback(const Verdict& verdict, double error_ratio);

}  // namespace stitch
