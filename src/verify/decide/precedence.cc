// SPDX-License-Identifier: Apache-2.0
#include "verify/decide/decide.h"

namespace stitch::verify {

std::span<const PrecedenceRow> precedence() {
  static const std::vector<PrecedenceRow> kRows = {
      {VerdictKind::kCheated,
       {Stage::kRead, Stage::kBuild, Stage::kInspect, Stage::kDraws, Stage::kChecked, Stage::kCalls, Stage::kTiming},
       "caught in the act; whatever else is found was made by such a program"},
      {VerdictKind::kCheated, {Stage::kSource}, "no kernel needs what stands there, however the answers are"},
      {VerdictKind::kBuildFailed,
       {Stage::kSource},
       "no compiler for GPUs takes it: its answers on the emulated device count for nothing"},
      {VerdictKind::kBuildFailed, {}, "nothing ran"},
      {VerdictKind::kUnsupported, {}, "what the device lacks is no mistake of the candidate's"},
      {VerdictKind::kCrashed, {}, "there is no answer"},
      {VerdictKind::kTimedOut, {}, "there is no answer in time"},
      {VerdictKind::kWrong, {}, "the answer is not right"},
      {VerdictKind::kIllConditioned, {}, "the task judges nobody"},
      {VerdictKind::kCheated, {Stage::kFramework}, "a right answer that is not the candidate's own"},
      {VerdictKind::kInvalidTime, {}, "the answer is right, its time is impossible"},
  };
  return kRows;
}

}  // namespace stitch::verify
