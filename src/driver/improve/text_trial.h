// SPDX-License-Identifier: Apache-2.0
// What became of a text that was tried in the place of a step's.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "artifact/report/verdict.h"
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
  std::optional<TakenTime> program{};  // nothing: none may be told
  std::map<size_t, TakenTime> steps{};
};

struct TextTrial {
  evaluate::VerifyReport verified{};   // of the step alone; of the program with it where the step alone is right
  bool in_program = false;             // the verdict is that of the program
  bool incumbent_fails = false;        // the incumbent, judged beside it, got the same kind of verdict
  std::optional<TakenTime> step{};     // of a right one
  std::optional<TakenTime> program{};  // likewise
  std::string facts{};                 // `stitchcuda.facts/1` of the program with it, for marks
  double seconds = 0;                  // that it took
  double gpu_seconds = 0;              // of those, on a GPU
  std::optional<evaluate::EvaluateReport> report{};  // of the program, where it came so far

  Verdict verdict() const { return verified.verdict(); }
};

}  // namespace stitch::driver
