// SPDX-License-Identifier: Apache-2.0
// One step judged alone: a step is a sub-graph, hence itself a program. Its inputs are the true values of what it
// reads.
#pragma once

#include "driver/judge/judge.h"

namespace stitch::driver {

// At the set's first sizes. Values that rewrites brought in are worked out by the reference too. kUsage when the plan
// has no such step.
Result<evaluate::EvaluateReport> judge_step(Job& job, const toolchain::Toolchain& tools, const SubjectSet& set,
                                            int step, DeviceKind device);

// A step's text as it lies in a program, under another number: that which it has as a program's only step.
std::string renumbered_step(std::string text, int from, int to);

}  // namespace stitch::driver
