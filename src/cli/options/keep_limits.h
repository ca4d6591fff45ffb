// SPDX-License-Identifier: Apache-2.0
// How long records of runs are kept.
#pragma once

#include "base/error/result.h"
#include "runs/index/run_index.h"

namespace stitch::cli {

// STITCHCUDA_RUNS_SIZE ("4G") and STITCHCUDA_RUNS_AGE ("90d"), "unlimited" or the default of each; kUsage for others.
Result<runs::KeepLimits> asked_keep_limits();

}  // namespace stitch::cli
