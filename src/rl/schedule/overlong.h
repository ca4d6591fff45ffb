// SPDX-License-Identifier: Apache-2.0
// What a sample that ran into the length limit is taught by it.
#pragma once

#include <cstdint>
#include <string>

#include "base/error/result.h"

namespace stitch::rl {

enum class Truncated {
  kKeep,   // judged as it is: an unfinished program is wrong. Bias: none, the limit is part of the task
  kMask,   // left out of the loss: the policy is never told that it was too long, and lengths grow
  kShape,  // overlong_penalty() is added: J now contains length, near the limit alone
};

// DAPO's soft punishment (Yu et al. 2025): 0 up to max_tokens - buffer_tokens, then a straight line down to -1 at
// max_tokens, and -1 beyond.
double overlong_penalty(int64_t tokens, int64_t max_tokens, int64_t buffer_tokens);

// "keep", "mask", "shape".
Result<Truncated> truncated_from_string(const std::string& name);

}  // namespace stitch::rl
