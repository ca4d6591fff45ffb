// SPDX-License-Identifier: Apache-2.0
// What one stage found against a candidate. No stage decides by itself what becomes of it: verify/decide/decide.h does,
// from all findings together.
#pragma once

#include <string>

#include "artifact/report/verdict.h"

namespace stitch {

enum class Stage {
  kRead,       // its files, before anything is built
  kBuild,      // the compilers
  kInspect,    // its library, before anything loads it
  kDraws,      // draws at the declared and hidden shapes
  kChecked,    // likewise under sanitizers
  kCalls,      // calls after all draws: repeated, without kernels, with its own random numbers, the last one
  kSource,     // what stands out in its source or machine code
  kFramework,  // what PyTorch did for it
  kTiming,
};
const char* to_string(Stage stage);  // "read", "build" ...

struct Finding {
  Stage stage = Stage::kDraws;
  VerdictKind kind = VerdictKind::kUndecided;  // that it speaks for
  std::string reason{};                        // as in a verdict
  std::string evidence{};                      // a verdict's detail
};

// The finding of a function that several stages call, marked with the stage that called it.
inline Finding at_stage(Stage stage, Finding finding) {
  finding.stage = stage;
  return finding;
}

}  // namespace stitch
