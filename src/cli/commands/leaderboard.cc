// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.h"

namespace stitch::cli {

Result<int> run_leaderboard(Invocation&) {
  return failure(ErrorCode::kInternal, "the verb leaderboard has no implementation");
}

}  // namespace stitch::cli
