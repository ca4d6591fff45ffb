// SPDX-License-Identifier: Apache-2.0
// Runs one built program on draws: hands over parameters, calls it, and turns a bad end into a finding.
#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "artifact/report/finding.h"
#include "evaluate/candidate.h"
#include "evaluate/verify/draw_queue.h"

namespace stitch::evaluate {

// Outputs, then new states, in the order of the references; or a finding, whose stage the caller fills
// in.
using RunResult = std::variant<std::vector<HostTensor>, Finding>;

// How to call it; see CandidateCall.
struct RunSettings {
  uint64_t rng_seed = 0;       // the program reads both: derived ones, which do not tell
  uint64_t schedule_seed = 0;  // the verdict's seed, nor which call it is
  bool states_in_place = false;
  bool prepares = true;  // false: these parameters have been handed over already
  CallTrial trial = CallTrial::kNone;
  size_t left_out = 0;
  uint64_t rng_offset = 0;
  int stream = 0;
};

// Nothing for a good end; else what it says of a program that ended so in this step, as "run".
std::optional<Finding> finding_of(Ending ending, const std::string& message, const char* step, Stage stage);

// What the host said of a call's results, and how many bytes of the device's memory it was shown.
struct HostWords {
  std::vector<ResultPiece> said{};
  uint64_t told = 0;
};

// `words`: where to put those of a good call; may be null.
Result<RunResult> run_draw(Candidate& candidate, const verify::OracleDraw& draw, const RunSettings& settings,
                           HostWords* words = nullptr);

}  // namespace stitch::evaluate
