// SPDX-License-Identifier: Apache-2.0
// Runs independent pieces of work on a few threads.
#pragma once

#include <cstddef>
#include <functional>

#include "base/error/result.h"

namespace stitch {

// Calls work(0) ... work(count - 1), at most `jobs` at a time (0: one for each core). After a failure no further piece
// is begun, and the first failure is returned.
Result<void> for_each_parallel(size_t count, int jobs, const std::function<Result<void>(size_t)>& work);

}  // namespace stitch
