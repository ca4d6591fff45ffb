// SPDX-License-Identifier: Apache-2.0
// A text that somebody wrote for a step, in the program that it is meant for: judged alone, then with the rest.
#pragma once

#include <optional>
#include <string>

#include "driver/judge/public_check.h"
#include "driver/written/step_contract.h"
#include "evaluate/pipeline/evaluate.h"

namespace stitch::driver {

// One of two ways to take part of a program over:
// - `boundary` with its code: a convex group of nodes, behind the contract of step_contract();
// - `step` and `code`: the text of that step of the folder's plan, behind the step's own contract (its struct Extents),
//   as a person edits DIR/steps/NN_name.cu.
struct StepAttempt {
  std::optional<plan::Boundary> boundary;
  int step = 0;
  std::string code;
};

// The program with the attempt in it. What a person or an earlier attempt wrote in the folder stays, but for what the
// attempt takes over.
struct AttemptedProgram {
  Folder folder;  // task, plan, sources: install_project() leaves it as it is
  int step = 0;   // which step the attempt is
};
// kFileInvalid, in a sentence, where the attempt is none: no such step, nodes that are not convex, code that defines no
// step_NN, scratch memory that follows no axis of it. An agent's fault then, and no verdict.
Result<AttemptedProgram> with_attempt(Job& job, const Folder& folder, const StepAttempt& attempt);

// The same program with another plan of it; step files that somebody edited stay, wherever their steps are now.
Result<Folder> with_plan(Job& job, const Folder& folder, plan::Plan plan);

enum class TryDepth {
  kPublic,   // the public check of the step alone and nothing else
  kStep,     // the step alone
  kProgram,  // the step alone, and the program where that is right
};
// Where the reference cannot run the step by itself, the program is judged in its place at each depth.

// Verdicts are in `alone->verify.verdict()` and `program->verify.verdict()`. They are hidden ones: an author is told
// artifact/report/feedback.h of them, and all of `check`.
struct StepTrial {
  AttemptedProgram attempted;
  std::optional<evaluate::EvaluateReport> alone;
  std::optional<evaluate::EvaluateReport> program;  // where `alone` is right, or cannot be told
  std::optional<PublicCheck> check;                 // where it was asked for, or what was judged is not right
  bool is_right() const;                            // what was asked for was judged, and is
};
Result<StepTrial> try_step(Job& job, const toolchain::Toolchain& tools, const Folder& folder,
                           const StepAttempt& attempt, DeviceKind device, TryDepth depth);

}  // namespace stitch::driver
