// SPDX-License-Identifier: Apache-2.0
// A run as what a trainer reads: `stitchcuda.trajectory/1`, one JSON object a line, one line a question.
#pragma once

#include <string>
#include <vector>

#include "agents/journal/journal.h"
#include "agents/journal/run_folder.h"
#include "base/json/json_forward.h"
#include "driver/score/reference_times.h"

namespace stitch::agents {

// Where marks and rewards of attempts come from: what the run kept of each, and a version of the rubric.
struct Scoring {
  RunFolder folder;
  std::filesystem::path rubric{};
};
// PyTorch's times as the run knows them; nothing where it does not.
Result<std::optional<driver::ReferenceTimes>> kept_reference(const RunFolder& folder);
Result<void> keep_reference(const RunFolder& folder, const driver::ReferenceTimes& times);

// Each question with its messages, its answer and what became of it: of an answer of the Coder the attempt that it led
// to, with marks and rewards where there is a `scoring`.
Result<std::vector<Json>> samples(const Journal& journal, const std::string& run, const Scoring* scoring);
// The same as text, a line each.
Result<std::string> trajectory(const Journal& journal, const std::string& run, const Scoring* scoring);

}  // namespace stitch::agents
