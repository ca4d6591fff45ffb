// SPDX-License-Identifier: Apache-2.0
// What became of a text that was tried in a program.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "artifact/report/verdict.h"
#include "driver/improve/candidate.h"
#include "driver/judge/public_check.h"
#include "driver/time/executed_time.h"
#include "evaluate/pipeline/evaluate.h"

namespace stitch::driver {

// Where a time comes from: counted on the emulated device, or taken on a GPU.
enum class TimeSource { kExecuted, kMeasured };

struct TakenTime {
  TimeSource source = TimeSource::kExecuted;
  double us = 0;
  double low_us = 0;
  double high_us = 0;
};

// Of a program and of those of its steps that a call runs.
struct TakenTimes {
  std::optional<TakenTime> program{};        // nothing: none may be told
  std::map<std::string, TakenTime> steps{};  // "03_fc1_gelu"
  std::optional<HostCounts> host{};          // of a call, where they were counted along the way
  std::optional<ListedLaunches> launches{};  // of that call
};

struct TextTrial {
  std::string refusal{};  // why the text is none for its step: then nothing was tried
  // Made first, and all of it may be told. Where it did not pass nothing else was judged.
  std::optional<PublicCheck> check{};
  // Of the step alone; of the program with it where the step alone is right, or the reference cannot run it by itself
  // (`check->why_whole`). A hidden verdict.
  std::optional<evaluate::VerifyReport> verified{};
  bool in_program = false;                           // the verdict is that of the program
  bool stays_alone = false;                          // right alone, and nobody wanted a verdict on the program with it
  bool incumbent_fails = false;                      // the incumbent, tried beside it, failed in the same way
  std::optional<TakenTime> step{};                   // of a right one
  std::optional<TakenTime> program{};                // likewise
  double seconds = 0;                                // that it took
  double gpu_seconds = 0;                            // of those, on a GPU
  std::optional<evaluate::EvaluateReport> report{};  // of the program, where it came so far
  std::vector<StepOrigin> steps{};                   // of the program with it
  std::optional<ListedLaunches> launches{};          // of the program, where it was judged or counted
  std::string facts{};                               // `stitchcuda.facts/1` of the program with it, for marks

  std::optional<HostCounts> host_before{};  // of a call, where choices of the host are right
  std::optional<HostCounts> host_after{};

  bool is_right() const {
    return (in_program || stays_alone) && verified.has_value() && verified->verdict().kind == VerdictKind::kOk;
  }
};

}  // namespace stitch::driver
