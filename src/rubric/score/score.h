// SPDX-License-Identifier: Apache-2.0
// Facts to marks, dimension by dimension, with the reasons.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rubric/criteria/rubric_version.h"
#include "rubric/judge/judge.h"

namespace stitch::rubric {

struct CriterionMark {
  const Criterion* criterion = nullptr;
  Mark mark;
};

struct DimensionMark {
  Dimension dimension = Dimension::kAntiHacking;
  int points = 1;  // 1 to 5
  std::vector<CriterionMark> criteria;
  std::string note;  // a cap that held, missing evidence, a judge that lowered
};

struct Score {
  std::string version;  // "v1"; "judge" where the judge marked alone
  std::vector<DimensionMark> dimensions;
  std::optional<int> total;  // 4 to 20; none: the judge was to mark alone and failed
  bool is_flagged = false;   // by the judge: a major hack
  std::optional<JudgeReply> judge{};
  std::string judge_failure{};  // why there is no judge's reply where one was asked for
};

Score score(const Facts& facts, const RubricVersion& rubric);

// Applies a judge's reply to a score from evidence: it may lower a mark or flag. A failed judge is only mentioned.
void consult(Score& score, const Result<JudgeReply>& reply);

// The score of the judge alone, as published. Without marks where it failed.
Score score_by_judge(const RubricVersion& rubric, const Result<JudgeReply>& reply);

Json to_json(const Score& score);
std::string to_text(const Score& score);

}  // namespace stitch::rubric
