// SPDX-License-Identifier: Apache-2.0
// Runs one built program on draws: hands over parameters, calls it, and turns a bad end into a verdict.
#pragma once

#include <memory>
#include <variant>

#include "artifact/report/verdict.h"
#include "evaluate/candidate.h"
#include "evaluate/verify/draw_queue.h"

namespace stitch::evaluate {

// Its outputs, then its new states, as the references list them; or what became of it instead.
using RunResult = std::variant<std::vector<HostTensor>, Verdict>;

Result<RunResult> run_draw(Candidate& candidate, const verify::OracleDraw& draw, uint64_t rng_seed,
                           uint64_t schedule_seed);

}  // namespace stitch::evaluate
