// SPDX-License-Identifier: Apache-2.0
#include "rl/schedule/overlong.h"

#include <algorithm>

namespace stitch::rl {

double overlong_penalty(int64_t tokens, int64_t max_tokens, int64_t buffer_tokens) {
  const int64_t over = tokens - (max_tokens - buffer_tokens);
  if (over <= 0) {
    return 0;
  }
  return buffer_tokens > 0 ? -std::min(static_cast<double>(over) / static_cast<double>(buffer_tokens), 1.0) : -1;
}

Result<Truncated> truncated_from_string(const std::string& name) {
  if (name == "keep") {
    return Truncated::kKeep;
  }
  if (name == "mask") {
    return Truncated::kMask;
  }
  if (name == "shape") {
    return Truncated::kShape;
  }
  return failure(ErrorCode::kUsage, "'" + name + "' is no way with truncated samples", "algo.truncated",
                 "use keep, mask or shape");
}

}  // namespace stitch::rl
