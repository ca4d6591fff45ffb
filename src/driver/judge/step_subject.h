// SPDX-License-Identifier: Apache-2.0
// One step judged alone: a step is a sub-graph, hence itself a program. Its inputs are the true values of what it
// reads.
#pragma once

#include <variant>

#include "driver/judge/judge.h"
#include "verify/oracle/step_oracle.h"

namespace stitch::driver {

struct StepSubject {
  std::string shape;
  Task task;  // of the whole program, from whose draws its own come
  SourceBundle bundle;
  std::set<std::string> emitted;  // units of it; as of Subject
  verify::StepProgram program;
};
// `job` and `subject` must outlive what is returned. kUsage when the plan has no such step.
Result<StepSubject> step_subject(Job& job, const Subject& subject, int step);

// The reference cannot run the step by itself, for an operator that a rewrite or the import brought in: the whole
// program is to be judged.
struct NotAlone {
  Error why;  // for who asked for the step alone
};

// Judges at the set's first sizes. The reference also computes values that rewrites added, as far as PyTorch has their
// operators. kUsage when the plan has no such step.
Result<std::variant<evaluate::EvaluateReport, NotAlone>> judge_step(Job& job, const toolchain::Toolchain& tools,
                                                                    const SubjectSet& set, int step, DeviceKind device);

// A step's text with its number changed: cut anew, a program may have it at another.
std::string renumbered_step(std::string text, int from, int to);

}  // namespace stitch::driver
