// SPDX-License-Identifier: Apache-2.0
// A module in Python (a class ModelNew) that somebody wrote in the place of a whole program: judged and timed as
// `stitchcuda verify --candidate` does it.
#pragma once

#include <optional>
#include <string>

#include "driver/improve/text_trial.h"

namespace stitch::driver {

// Beside the steps of a program, where a module was written in its place.
inline constexpr const char* kModule = "model_new";

struct ModuleTrial {
  evaluate::VerifyReport verified{};   // a hidden verdict
  std::optional<TakenTime> program{};  // of a right one on a GPU: nothing else tells what PyTorch does for it
  double seconds = 0;                  // that it took
  bool is_right() const { return verified.verdict().kind == VerdictKind::kOk; }
};

// `text`: the file's. kEnvironment and the like where the world fails.
Result<ModuleTrial> try_module(Job& job, const toolchain::Toolchain& tools, const VerifiedProgram& expert,
                               const std::string& text);

// What a writer of a module begins from: the expert's program as one file in KernelBench's form; of a program that has
// no such form a class that holds the user's own.
Result<std::string> expert_module(Job& job, const VerifiedProgram& expert);

}  // namespace stitch::driver
