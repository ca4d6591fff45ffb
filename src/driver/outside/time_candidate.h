// SPDX-License-Identifier: Apache-2.0
// Times a stranger's program on a GPU. Every timed call is judged, which finds a program that works differently once it
// is timed.
#pragma once

#include <optional>

#include "driver/outside/judge_candidate.h"
#include "driver/time/time_on_gpu.h"

namespace stitch::driver {

// Times a candidate that was found right, in turns with the user's program. Findings of the timing enter its verdict.
Result<void> time_candidate(Job& job, const toolchain::Toolchain& tools, const CandidateRequest& request,
                            const ImportedProgram& imported, CandidateVerdict& verdict);

}  // namespace stitch::driver
