// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/compare.h"

#include <gtest/gtest.h>

#include "bench/compare/published.h"

namespace stitch::bench {
namespace {

TaskResult ended(const std::string& task, Outcome outcome, double modelled_us = 0) {
  TaskResult result;
  result.task = task;
  result.outcome = outcome;
  result.kind = outcome == Outcome::kOk ? "ok" : "wrong";
  if (modelled_us > 0) {
    result.modelled_us = modelled_us;
  }
  return result;
}

TEST(Compare, TasksArePaired) {
  std::vector<TaskResult> first = {ended("a", Outcome::kOk, 10), ended("b", Outcome::kOk, 40),
                                   ended("c", Outcome::kVerdict), ended("d", Outcome::kOk, 5),
                                   ended("only", Outcome::kOk, 1)};
  std::vector<TaskResult> second = {ended("a", Outcome::kOk, 20), ended("b", Outcome::kOk, 20),
                                    ended("c", Outcome::kOk, 7), ended("d", Outcome::kOk, 5)};
  const Comparison comparison = *compare_runs(first, second);
  EXPECT_EQ(comparison.tasks, 4);
  EXPECT_EQ(comparison.only_first, 1);
  EXPECT_EQ(comparison.time_kind, "modelled");
  EXPECT_DOUBLE_EQ(comparison.success_difference->value, -0.25);
  EXPECT_NEAR(comparison.time_ratio->value, 1.0, 1e-12);  // 2, 1/2 and 1
  EXPECT_EQ(comparison.wins(Winner::kFirst), 1);
  EXPECT_EQ(comparison.wins(Winner::kSecond), 2);
  EXPECT_EQ(comparison.wins(Winner::kNobody), 1);
}

TEST(Compare, MeasuredAndModelledTimesDoNotMeet) {
  TaskResult measured = ended("a", Outcome::kOk);
  measured.measured_us = 10;
  const Comparison comparison = *compare_runs({measured}, {ended("a", Outcome::kOk, 10)});
  EXPECT_FALSE(comparison.time_ratio.has_value());
  EXPECT_EQ(comparison.time_kind, "");
}

TEST(Compare, WholeAnswersDecideWhereVerdictsAndTimesAreAlike) {
  std::vector<TaskResult> first = {ended("a", Outcome::kOk, 10), ended("b", Outcome::kOk, 10),
                                   ended("c", Outcome::kOk, 10)};
  std::vector<TaskResult> second = first;
  for (const size_t i : {0, 1}) {
    first[i].sub_tasks = second[i].sub_tasks = 2;
    first[i].sub_tasks_right = 2;
    second[i].sub_tasks_right = static_cast<int64_t>(i) + 1;
  }
  first[2].sub_tasks = 2;  // the other run asked no agents
  const Comparison comparison = *compare_runs(first, second);
  EXPECT_DOUBLE_EQ(comparison.success_difference->value, 0);
  EXPECT_DOUBLE_EQ(comparison.whole_difference->value, 0.5);
  EXPECT_EQ(comparison.rows.front().winner, Winner::kFirst);
  EXPECT_EQ(comparison.rows.front().why, "whole answers of its Coder in 100 against 0 % of samples");
  EXPECT_EQ(comparison.wins(Winner::kNobody), 2);
}

TEST(Compare, OtherFilesAndOtherStandingsAreLeftOut) {
  TaskResult other = ended("a", Outcome::kOk, 1);
  other.digest = "other";
  TaskResult weak = ended("b", Outcome::kOk, 1);
  weak.standing = Standing::kWeak;
  const Comparison comparison =
      *compare_runs({ended("a", Outcome::kOk, 1), ended("b", Outcome::kOk, 1)}, {other, weak});
  EXPECT_EQ(comparison.tasks, 0);
  EXPECT_EQ(comparison.different, 1);
  EXPECT_EQ(comparison.aside, 1);
}

TEST(Compare, WhatDiffersFromAPublishedFigureIsNamed) {
  TaskResult result = ended("level3/2", Outcome::kOk);
  result.level = 3;
  const auto beside = beside_published(*published_figures(), "kernelbench", *figures_of({result}),
                                       {{"device", "emulated"}, {"scale", "small"}, {"math", "fp32"}});
  ASSERT_FALSE(beside.empty());
  EXPECT_EQ(beside.front().group, "level 3");
  const std::string text = describe(beside);
  for (const char* part : {"hardware: theirs H200, ours emulated", "ours reduced", "tasks: theirs 10, ours 1"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_TRUE(beside_published(*published_figures(), "problems", *figures_of({result}), {}).empty());
}

}  // namespace
}  // namespace stitch::bench
