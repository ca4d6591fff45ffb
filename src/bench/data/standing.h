// SPDX-License-Identifier: Apache-2.0
// What a task is worth: only sound ones enter a mean, each other kind has a line of its own.
#pragma once

#include <string>

#include "base/error/result.h"

namespace stitch::bench {

enum class Standing {
  kSound,           // nothing speaks against it
  kWeak,            // a part of the program can be left out unseen
  kDegenerate,      // an answer without any work is taken
  kIllConditioned,  // rounding decides about its answers
  kStochastic,      // it draws random numbers
  kBroken,          // PyTorch itself does not run it, or there is nothing to compare with
};
inline constexpr Standing kStandings[] = {Standing::kSound,          Standing::kWeak,       Standing::kDegenerate,
                                          Standing::kIllConditioned, Standing::kStochastic, Standing::kBroken};

// "sound", "weak", "degenerate", "ill_conditioned", "stochastic", "broken".
const char* to_string(Standing standing);
Result<Standing> standing_from_string(const std::string& name);

}  // namespace stitch::bench
