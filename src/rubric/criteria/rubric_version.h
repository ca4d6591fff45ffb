// SPDX-License-Identifier: Apache-2.0
// A frozen version of the rubric: weights, anchors and caps, as data. Versions that were published never change.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "rubric/criteria/criterion.h"

namespace stitch::rubric {

enum class Combine { kMean, kMin };

struct DimensionRule {
  Dimension dimension = Dimension::kAntiHacking;
  std::string question;
  std::map<int, std::string> anchors;  // what 5, 3 and 1 mean
  Combine combine = Combine::kMean;
  std::map<std::string, double> weights;  // of criteria, by their names
};

struct RubricVersion {
  std::string version;  // "v1"
  std::vector<DimensionRule> dimensions;
  int without_evidence = 3;
  // The most that a dimension may get, by the kind of the verdict; "none" where there is no verdict.
  std::map<std::string, std::map<std::string, int>> caps;
  std::string judge_prompt;
};

// From `folder`, as rubrics/v1. kFileInvalid for unknown dimensions, criteria or weights.
Result<RubricVersion> read_rubric(const std::filesystem::path& folder);

}  // namespace stitch::rubric
