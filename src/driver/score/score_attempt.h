// SPDX-License-Identifier: Apache-2.0
// Marks and rewards of an attempt whose facts were kept, by the functions that `score` calls; nothing is run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "rubric/rewards/facts.h"

namespace stitch::driver {

struct AttemptFacts {
  std::string facts{};  // `stitchcuda.facts/1`; empty: the answer held no code, which is judged as code that does not
                        // compile
  bool refines = false;
  std::string feedback{};                      // of a refinement: what it was asked to do
  std::string before{};                        // likewise, the facts of the attempt that it refines
  std::optional<rubric::RewardTimes> times{};  // of a right one, where the run knows PyTorch's
};

// {"marks": as in score.json, "rewards": [{"profile", "reward", "reason", "parts"}]}. `rubric`: the folder of a frozen
// version. kFileInvalid for facts that are not ours.
Result<Json> score_attempt(const AttemptFacts& attempt, const std::filesystem::path& rubric);

// What the reviewer of an attempt with these facts may be told of its marks (rubric/score/hint.h); empty where that is
// nothing. Errors as of score_attempt.
Result<std::string> marks_hint(const std::string& facts, const std::filesystem::path& rubric);

}  // namespace stitch::driver
