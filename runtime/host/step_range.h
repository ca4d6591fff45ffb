// SPDX-License-Identifier: Apache-2.0
// With STITCH_NVTX: a range around the launches of a step, named after it, for nsys and ncu. On the emulated device:
// the step that launches belong to. Else nothing.
#pragma once

#ifdef STITCH_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace stitch {

class StepRange {
 public:
#ifdef STITCH_NVTX
  StepRange(int, const char* name) { nvtxRangePushA(name); }
  ~StepRange() { nvtxRangePop(); }
#elif defined(STITCH_EMULATED)
  StepRange(int step, const char*) { stitch_begin_step(step); }
  ~StepRange() { stitch_begin_step(-1); }
#else
  StepRange(int, const char*) {}
#endif
  StepRange(const StepRange&) = delete;
  StepRange& operator=(const StepRange&) = delete;
};

}  // namespace stitch
