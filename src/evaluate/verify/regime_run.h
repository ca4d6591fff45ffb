// SPDX-License-Identifier: Apache-2.0
// One regime of a verification while its draws are run, two of them at once.
#pragma once

#include <future>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/verify/subject_run.h"
#include "verify/compare/regime_judge.h"

namespace stitch::evaluate {

// A checked draw, under way on a thread of its own while the others go on.
struct CheckedRun {
  verify::OracleDraw draw;
  std::future<Result<RunResult>> result;
};
// A draw under way in the second worker.
struct EarlierRun {
  verify::OracleDraw draw;
  std::string label;
  std::future<Result<RunResult>> result;
};
// The regime under way.
struct RegimeRun {
  size_t subject = 0;
  std::string regime;
  verify::RegimeJudge judge;
  std::vector<std::string> dropped;
  bool left_out = false;
  std::optional<CheckedRun> checked{};
  std::optional<EarlierRun> earlier{};
};

}  // namespace stitch::evaluate
