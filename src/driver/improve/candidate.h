// SPDX-License-Identifier: Apache-2.0
// A program with somebody's text in it, at all sizes that it is judged at.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "driver/build/compile_program.h"
#include "driver/judge/judge.h"
#include "driver/written/try_step.h"

namespace stitch::driver {

// The expert's program, as it was judged; all of it outlives whoever betters it.
struct VerifiedProgram {
  const Task& task;
  const ImportedProgram& imported;
  const EmittedProgram& program;
  const SubjectSet& set;
  DeviceKind device = DeviceKind::kEmulated;
  const evaluate::EvaluateReport& report;
};

// A program of the task as somebody's texts leave it.
struct TextProgram {
  plan::Plan plan;       // at the program's own sizes
  SourceBundle sources;  // of that plan
  SubjectSet set;        // what a verdict is made at
};

// Whose text a step of a candidate has.
struct StepOrigin {
  std::string step{};     // "03_fc1_gelu" in the candidate
  std::string before{};   // the step of the program before whose text it keeps; empty: the expert cut it anew
  bool is_tried = false;  // it has the text that is tried
};

// The host side among the steps of a candidate, where choices were made for it.
inline constexpr const char* kHostSide = "host";

struct Candidate {
  TextProgram program;
  std::optional<size_t> step{};      // that has the text, in the program's plan; nothing: the host side is tried
  std::optional<int> judged_step{};  // the same in the plan of the first sizes
  std::vector<StepOrigin> steps{};   // all, in order, then kHostSide
};

// "03_fc1_gelu"
std::string key_of_step(const plan::Plan& plan, size_t step);

// A sentence where the text is none for such a step: its author's fault.
struct NoCandidate {
  std::string why;
};

// `before` with the attempt: at hidden sizes, too, unless the text is for its own alone. An Error is the world's.
Result<std::variant<Candidate, NoCandidate>> candidate_with(Job& job, const VerifiedProgram& expert,
                                                            const TextProgram& before, const StepAttempt& attempt);
// `before` with other choices of the host: at hidden sizes as far as the same steps are there.
Result<std::variant<Candidate, NoCandidate>> candidate_with(Job& job, const VerifiedProgram& expert,
                                                            const TextProgram& before, const plan::HostPlan& host);

}  // namespace stitch::driver
