// SPDX-License-Identifier: Apache-2.0
#include "device/profiler_range.h"

#include <cuda_profiler_api.h>

#include "device/common/status.h"

namespace stitch::device {

Result<void> begin_profiling() { return check(cudaProfilerStart(), "telling the profiler to begin"); }

Result<void> end_profiling() { return check(cudaProfilerStop(), "telling the profiler to end"); }

}  // namespace stitch::device
