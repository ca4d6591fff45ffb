// SPDX-License-Identifier: Apache-2.0
// Files that hold a record on each line.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/error/result.h"

namespace stitch {

// Calls `take(line, number)` with each line of `text` that is not blank, in order; lines count from 1, blank ones too.
// Ends at the first refusal, which is the answer.
Result<void> for_each_filled_line(std::string_view text,
                                  const std::function<Result<void>(std::string_view line, int64_t number)>& take);

}  // namespace stitch
