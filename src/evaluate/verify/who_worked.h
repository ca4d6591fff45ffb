// SPDX-License-Identifier: Apache-2.0
// Calls of which more is asked than their answer: whether the device gave it, and what sanitizers say.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "artifact/task/math_mode.h"
#include "evaluate/candidate.h"
#include "evaluate/verify/module_answers.h"
#include "evaluate/verify/said_answers.h"
#include "evaluate/verify/subject_run.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

// Whether these are right by the draw's own budget.
bool fits(const std::vector<HostTensor>& got, const verify::OracleDraw& draw, MathMode math);
// Whether each output of the draw is one value again and again: a program may well set those, and copy nothing.
bool is_uniform(const verify::OracleDraw& draw);

// Asked of each whole call of one process.
struct WorkQuestion {
  std::shared_ptr<LaunchLedger> launches{};  // null: nothing is asked of what was launched
  MathMode math = MathMode::kFp32;
  std::shared_ptr<SaidAnswers> said{};
  std::shared_ptr<ModuleAnswers> of_module{};  // of a ModelNew with kernels, where the device is emulated
};
// Of a process that is to be started of `binary`, which lists its launches from now on. Nothing is asked without a
// mode. A ModelNew lists no launches: where kernels of its own run it is asked by what is done once more.
WorkQuestion question_of(CandidateBinary& binary, std::optional<MathMode> math);

// A call as run_draw() makes it. One that is right though nothing was computed on the device is made once more, with
// copies within the device alone: what is wrong then was computed by the host. Whatever ran there, the host must not
// have brought the answer (SaidAnswers).
Result<RunResult> run_and_ask(Candidate& candidate, const verify::OracleDraw& draw, const RunSettings& settings,
                              const WorkQuestion& question);

// The draw under sanitizers, which `may_repeat`: then it is a drawn number of calls, some after another prepare(), as
// long as they are quick, and the last one's answer. What a program keeps from its first call is found there too.
Result<RunResult> run_checked(Candidate& candidate, const verify::OracleDraw& draw, uint64_t rng_seed, bool may_repeat);

}  // namespace stitch::evaluate
