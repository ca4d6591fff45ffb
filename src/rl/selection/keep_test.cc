// SPDX-License-Identifier: Apache-2.0
#include "rl/selection/keep.h"

#include <gtest/gtest.h>

#include <limits>

namespace stitch::rl {
namespace {

SampledAnswer right(size_t prompt, double reward, const std::string& digest) {
  return {.group = prompt, .prompt = prompt, .reward = reward, .is_pass = true, .digest = digest};
}

int64_t all_of(const KeepCounts& counts) {
  return counts.unjudged + counts.in_dropped_group + counts.hack + counts.truncated + counts.below + counts.same +
         counts.beyond + counts.kept;
}

TEST(Keep, CountsEachAnswerOnce) {
  std::vector<SampledAnswer> answers = {right(0, 1, "a"), right(0, 1, "a"), right(0, 2, "b"), right(1, 0, "a")};
  answers[3].is_pass = false;
  answers.push_back(right(1, 3, "c"));
  answers.back().is_hack = true;
  answers.push_back(right(1, 3, "d"));
  answers.back().is_truncated = true;
  answers.push_back(right(1, std::numeric_limits<double>::quiet_NaN(), "e"));
  const KeptAnswers kept = keep_answers(answers, {});
  EXPECT_EQ(kept.places, (std::vector<size_t>{0, 2}));
  EXPECT_EQ(all_of(kept.counts), static_cast<int64_t>(answers.size()));
  EXPECT_EQ(kept.counts.hack, 1);
  EXPECT_EQ(kept.counts.truncated, 1);
  EXPECT_EQ(kept.counts.unjudged, 1);
  EXPECT_EQ(kept.counts.below, 1);
  EXPECT_EQ(kept.counts.same, 1);
}

// The same prompt drawn twice is two groups and one prompt.
TEST(Keep, BoundsAPromptOverSeveralDraws) {
  std::vector<SampledAnswer> answers = {right(0, 1, "a"), right(0, 3, "b"), right(0, 2, "c"), right(0, 3, "b")};
  answers[2].group = answers[3].group = 1;
  EXPECT_EQ(keep_answers(answers, {.per_prompt = 2}).places, (std::vector<size_t>{1, 2}));
  EXPECT_EQ(keep_answers(answers, {.rule = KeepRule::kBest}).places, (std::vector<size_t>{1}));
}

// A reward that a hack earned moves nobody else's fate but its group's.
TEST(Keep, NeverKeepsAHack) {
  std::vector<SampledAnswer> answers = {right(0, 9, "a"), right(0, 1, "b")};
  answers[0].is_hack = true;
  for (const KeepRule rule : {KeepRule::kRight, KeepRule::kBest, KeepRule::kThreshold}) {
    EXPECT_EQ(keep_answers(answers, {.rule = rule, .threshold = 1}).places, (std::vector<size_t>{1}));
  }
}

}  // namespace
}  // namespace stitch::rl
