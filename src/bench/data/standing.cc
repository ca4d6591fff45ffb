// SPDX-License-Identifier: Apache-2.0
#include "bench/data/standing.h"

namespace stitch::bench {

const char* to_string(Standing standing) {
  switch (standing) {
    case Standing::kSound:
      return "sound";
    case Standing::kWeak:
      return "weak";
    case Standing::kDegenerate:
      return "degenerate";
    case Standing::kIllConditioned:
      return "ill_conditioned";
    case Standing::kStochastic:
      return "stochastic";
    case Standing::kBroken:
      break;
  }
  return "broken";
}

Result<Standing> standing_from_string(const std::string& name) {
  for (const Standing standing : kStandings) {
    if (name == to_string(standing)) {
      return standing;
    }
  }
  return failure(ErrorCode::kFileInvalid, "'" + name + "' is no standing of a task");
}

}  // namespace stitch::bench
