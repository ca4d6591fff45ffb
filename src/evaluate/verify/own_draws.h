// SPDX-License-Identifier: Apache-2.0
// Programs with random operators are compared on random numbers that are handed to them. What they draw themselves is
// judged here, by its distribution.
#pragma once

#include <optional>

#include "artifact/report/finding.h"
#include "evaluate/candidate.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

// Runs of the candidate that draw for themselves, against as many of the eager module: the same call must give the same
// results, another one other results where the eager module's differ, and moments of every output must agree within
// what the runs scatter by. `draw` is the last draw of `program`. Nothing when all is well.
Result<std::optional<Finding>> judge_own_draws(verify::Oracle& oracle, const verify::OracleProgram& program,
                                               const verify::OracleDraw& draw, Candidate& candidate, uint64_t seed);

}  // namespace stitch::evaluate
