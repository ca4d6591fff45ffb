// SPDX-License-Identifier: Apache-2.0
// What is asked of a stranger's program once its draws were right: calls again and again, and who does the work.
#pragma once

#include <optional>

#include "artifact/report/finding.h"
#include "evaluate/verify/call_schedule.h"
#include "evaluate/verify/companion.h"
#include "evaluate/verify/kept_draws.h"
#include "evaluate/verify/verify_program.h"
#include "evaluate/verify/who_worked.h"

namespace stitch::evaluate {

// Of a stranger's program on the emulated device, where kernels can be left out: a ModelNew needs some for that.
bool asks_who_works(const VerifyRequest& request, const CandidateBinary& binary);

struct AfterDraws {
  const VerifyRequest& request;
  verify::Oracle& oracle;
  const verify::OracleProgram& declared;  // the first subject's
  const RepeatedDraws& kept;
  double call_seconds;                  // what a call takes
  WorkQuestion question;                // of the process that makes them
  std::optional<Companion>& companion;  // of the emulated device; its process ends with the repeated calls
};

struct CallsAfterDraws {
  CallCounts counts;
  std::optional<Finding> finding;
};

Result<CallsAfterDraws> call_after_draws(const AfterDraws& after, Candidate& candidate);

}  // namespace stitch::evaluate
