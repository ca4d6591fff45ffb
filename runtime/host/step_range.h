// SPDX-License-Identifier: Apache-2.0
// With STITCH_NVTX: a range around the launches of a step, named after it, for nsys and ncu. Else nothing.
#pragma once

#ifdef STITCH_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace stitch {

class StepRange {
 public:
#ifdef STITCH_NVTX
  explicit StepRange(const char* name) { nvtxRangePushA(name); }
  ~StepRange() { nvtxRangePop(); }
#else
  explicit StepRange(const char*) {}
#endif
  StepRange(const StepRange&) = delete;
  StepRange& operator=(const StepRange&) = delete;
};

}  // namespace stitch
