// SPDX-License-Identifier: Apache-2.0
#include "driver/time/timed_draws.h"

#include <memory>

#include "driver/judge/judge.h"

namespace stitch::driver {
namespace {

// Nobody to ask about a program that draws random numbers: what it gives depends on more than its contents.
evaluate::AskReference reference_of(Job& job, const evaluate::VerifyReport& verified) {
  if (verified.kept.program == nullptr || verified.kept.program->random_inputs > 0) {
    return {};
  }
  return
      [&job, program = verified.kept.program, draw = verified.kept.first](
          const std::vector<HostTensor>& inputs, const std::vector<HostTensor>& states) -> Result<verify::OracleDraw> {
        STITCH_ASSIGN(const TemporaryDirectory folder, tensor_folder());
        verify::OracleClient oracle = oracle_client(job);
        return oracle.given(*program, {.inputs = inputs, .states = states, .draw = draw, .folder = folder.path()});
      };
}

}  // namespace

std::optional<evaluate::TimedSubject> timed_draws(Job& job, const evaluate::VerifyReport& verified, MathMode math) {
  return evaluate::timed_subject(verified.kept.draws, math, reference_of(job, verified));
}

}  // namespace stitch::driver
