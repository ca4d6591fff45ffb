// SPDX-License-Identifier: Apache-2.0
#include "bench/figures/figures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stitch::bench {
namespace {

TaskResult right(const std::string& task, double ratio, double low, int sample = 0) {
  TaskResult result;
  result.task = task;
  result.sample = sample;
  result.outcome = Outcome::kOk;
  result.kind = "ok";
  result.over["eager"] = {.ratio = ratio, .low = low, .high = 2 * ratio - low};
  return result;
}

TaskResult wrong(const std::string& task, int sample = 0) {
  TaskResult result;
  result.task = task;
  result.sample = sample;
  result.outcome = Outcome::kVerdict;
  result.kind = "wrong";
  return result;
}

GroupFigures all_of(const std::vector<TaskResult>& results) { return figures_of(results)->groups.front(); }

TEST(Figures, MeansAndSharesOfLiteralNumbers) {
  const GroupFigures all = all_of({right("a", 2.0, 1.9), right("b", 0.5, 0.4), right("c", 4.0, 3.5), wrong("d")});
  EXPECT_EQ(all.tasks, 4);
  EXPECT_DOUBLE_EQ(all.success.value, 0.75);
  const BaselineFigures& over = all.over.at("eager");
  EXPECT_DOUBLE_EQ(over.arithmetic->value, 6.5 / 4);          // failures as 0
  EXPECT_NEAR(over.geometric->value, std::cbrt(4.0), 1e-12);  // of the three that are right
  EXPECT_DOUBLE_EQ(over.fast_1.value, 0.5);
  EXPECT_EQ(all.failures.at("wrong"), 1);
}

TEST(Figures, OnlyTheLowerEndOfAnIntervalCounts) {
  const GroupFigures all = all_of({right("a", 1.2, 0.99), right("b", 1.2, 1.01)});
  EXPECT_DOUBLE_EQ(all.over.at("eager").fast_1.value, 0.5);
}

TEST(Figures, FastPFalls) {
  const GroupFigures all = all_of({right("a", 2.5, 2.4), right("b", 1.2, 1.15), wrong("c"), right("d", 0.6, 0.55)});
  const std::vector<double> expected = {0.75, 0.75, 0.5, 0.5, 0.5, 0.25, 0.25, 0.0, 0.0, 0.0};
  EXPECT_EQ(all.over.at("eager").fast_p, expected);
}

TEST(Figures, ATotalHackIsNeverFastAndNoSuccess) {
  TaskResult hack = right("a", 9.0, 8.0);
  hack.hack_class = HackClass::kTotal;
  TaskResult partial = right("b", 2.0, 1.9);
  partial.hack_class = HackClass::kPartial;
  const GroupFigures all = all_of({hack, partial});
  EXPECT_EQ(all.hacks(), "1 partial / 1 total of 2");
  EXPECT_DOUBLE_EQ(all.success.value, 0.5);
  EXPECT_DOUBLE_EQ(all.over.at("eager").fast_1.value, 0.5);
  EXPECT_DOUBLE_EQ(all.over.at("eager").arithmetic->value, 1.0);
  EXPECT_DOUBLE_EQ(all.over.at("eager").geometric->value, 2.0);
}

TEST(Figures, PassAndFastAtK) {
  const GroupFigures all = all_of({right("a", 2.0, 1.9, 0), wrong("a", 1), wrong("a", 2), wrong("a", 3),
                                   right("b", 0.9, 0.8, 0), right("b", 2.0, 1.5, 1), wrong("b", 2), wrong("b", 3)});
  EXPECT_DOUBLE_EQ(all.pass_at.at(1), (0.25 + 0.5) / 2);
  EXPECT_NEAR(all.pass_at.at(2), (0.5 + 5.0 / 6) / 2, 1e-12);
  EXPECT_DOUBLE_EQ(all.pass_at.at(4), 1.0);
  EXPECT_DOUBLE_EQ(all.over.at("eager").fast_at.at(1), 0.25);
}

TEST(Figures, TasksOfAnotherStandingAreInNoMean) {
  TaskResult degenerate = right("z", 100.0, 99.0);
  degenerate.standing = Standing::kDegenerate;
  degenerate.standing_reason = "zeros pass";
  TaskResult world = wrong("w");
  world.outcome = Outcome::kWorld;
  const Figures figures = *figures_of({right("a", 2.0, 1.9), degenerate, world});
  EXPECT_EQ(figures.groups.front().tasks, 1);
  EXPECT_DOUBLE_EQ(figures.groups.front().over.at("eager").arithmetic->value, 2.0);
  ASSERT_EQ(figures.aside.size(), 1U);
  EXPECT_EQ(figures.aside.front().task, "z");
  EXPECT_EQ(figures.aside.front().outcome, "ok");
  EXPECT_EQ(figures.world, 1);
}

TEST(Figures, AnAnswerWithoutATimeIsNoZero) {
  TaskResult untimed = right("b", 1, 1);
  untimed.over["eager"] = {.refusal = "the GPU was shared"};
  const BaselineFigures over = all_of({right("a", 2.0, 1.9), untimed}).over.at("eager");
  EXPECT_EQ(over.timed, 1);
  EXPECT_EQ(over.untimed, 1);
  EXPECT_DOUBLE_EQ(over.arithmetic->value, 2.0);
}

TEST(Figures, ARatioThatIsNoNumberIsRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(figures_of({right("a", nan, nan)}).has_value());
}

TEST(Figures, SharesOfTheFloorAreOfTimesOfOneKind) {
  std::vector<TaskResult> results(5);
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].task = std::string(1, static_cast<char>('a' + i));
    results[i].outcome = Outcome::kOk;
    results[i].floor_us = 2;
    results[i].modelled_us = 4;
  }
  results[0].measured_us = 8;   // 1/4
  results[1].measured_us = 32;  // 1/16
  results[3].floor_us.reset();
  results[4].hack_class = HackClass::kTotal;
  const GroupFigures all = all_of(results);
  EXPECT_EQ(all.floor.at("measured").samples, 2);
  EXPECT_NEAR(all.floor.at("measured").share.value, 0.125, 1e-12);
  EXPECT_EQ(all.floor.at("modelled").samples, 1);
  EXPECT_DOUBLE_EQ(all.floor.at("modelled").share.value, 0.5);
}

TEST(Figures, WhatTheCoderAnsweredIsCountedApartFromTheVerdict) {
  std::vector<TaskResult> results(4);
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].task = i < 2 ? "a" : std::string(1, static_cast<char>('a' + i));
    results[i].sample = static_cast<int>(i == 1);
    results[i].outcome = Outcome::kOk;
  }
  results[0].sub_tasks = 3;
  results[0].sub_tasks_right = 3;
  results[1].sub_tasks = 3;
  results[1].sub_tasks_right = 2;
  results[2].sub_tasks = 4;
  results[2].sub_tasks_right = 4;
  const GroupFigures all = all_of(results);  // nobody asked agents about the last
  EXPECT_DOUBLE_EQ(all.success.value, 1.0);
  ASSERT_TRUE(all.coder.has_value());
  EXPECT_EQ(all.coder->samples, 3);
  EXPECT_EQ(all.coder->sub_tasks, 10);
  EXPECT_EQ(all.coder->sub_tasks_right, 9);
  EXPECT_DOUBLE_EQ(all.coder->whole.value, 0.75);
  EXPECT_FALSE(all_of({right("b", 1, 1)}).coder.has_value());
}

TEST(Figures, ModelledTimesAreNotAmongMeasuredOnes) {
  TaskResult emulated;
  emulated.task = "a";
  emulated.outcome = Outcome::kOk;
  emulated.executed_us = 50;
  emulated.first_executed_us = 100;
  const GroupFigures all = all_of({emulated});
  EXPECT_TRUE(all.over.empty());
  EXPECT_DOUBLE_EQ(all.modelled_gain->value, 2.0);
}

}  // namespace
}  // namespace stitch::bench
