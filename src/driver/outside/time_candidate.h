// SPDX-License-Identifier: Apache-2.0
// The time of somebody else's program on a GPU. Every timed call is judged, so that a program which works differently
// once it is timed is found here.
#pragma once

#include <optional>

#include "driver/outside/judge_candidate.h"
#include "driver/time/tuning.h"

namespace stitch::driver {

// Of a candidate that was found right, in turns with the program it stands for. What timing finds becomes its verdict.
Result<void> time_candidate(Job& job, const toolchain::Toolchain& tools, const CandidateRequest& request,
                            const ImportedProgram& imported, CandidateVerdict& verdict);

}  // namespace stitch::driver
