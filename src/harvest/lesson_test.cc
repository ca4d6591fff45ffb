// SPDX-License-Identifier: Apache-2.0
#include "harvest/lesson.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch::harvest {
namespace {

Json verdict(int attempt, const char* outcome, bool replaced = false) {
  return {{"attempt", attempt}, {"outcome", outcome}, {"replaced_incumbent", replaced}};
}

Json sample(const char* skill, const Json& judged) {
  return {{"role", "coder"},      {"skill", skill},
          {"activity", "draft"},  {"messages", Json::array({{{"role", "user"}, {"content", "write it"}}})},
          {"answer", "the code"}, {"verdict", judged},
          {"run", "one"}};
}

const LessonTask kTask{"17", "contraction+norm", "train"};

bool positive(const Json& of, const Json& before = {}, double best_us = 0) {
  return lesson_of(of, {before, best_us}, kTask).at("is_positive");
}

Json timed(int attempt, double step_us, double program_us, double incumbent_us) {
  Json judged = verdict(attempt, "right");
  judged.update({{"step_us", step_us}, {"program_us", program_us}, {"incumbent_us", incumbent_us}});
  return judged;
}

TEST(Lesson, OnlyJudgedAnswersOfACoderAreLessons) {
  EXPECT_FALSE(fell(sample("scratch", verdict(1, "wrong"))).has_value());
  EXPECT_EQ(fell(sample("scratch", nullptr)), Fell::kUndecided);
  Json other = sample("scratch", verdict(1, "right"));
  other["role"] = "planner";
  EXPECT_EQ(fell(other), Fell::kOtherRole);
  Json turn = sample("scratch", verdict(1, "right"));
  turn["skill"] = nullptr;
  EXPECT_EQ(fell(turn), Fell::kNoSkill);
}

TEST(Lesson, AFirstTextIsPositiveWhereItIsRight) {
  EXPECT_TRUE(positive(sample("scratch", verdict(1, "right"))));
  for (const char* outcome : {"wrong", "not_compiled", "unreadable"}) {
    EXPECT_FALSE(positive(sample("scratch", verdict(1, outcome)))) << outcome;
  }
}

TEST(Lesson, ARefinementIsPositiveWhereItRepairsOrIsFaster) {
  const Json right = sample("refinement", verdict(2, "right"));
  EXPECT_TRUE(positive(right, verdict(1, "wrong")));
  EXPECT_TRUE(positive(right, verdict(1, "not_compiled")));
  EXPECT_FALSE(positive(right, verdict(1, "right")));
  EXPECT_FALSE(positive(right));
  EXPECT_TRUE(positive(sample("refinement", verdict(2, "right", true)), verdict(1, "right")));
  EXPECT_FALSE(positive(sample("refinement", verdict(2, "wrong", true)), verdict(1, "wrong")));
}

TEST(Lesson, AFirstTextThatIsSlowIsNotImitated) {
  EXPECT_TRUE(positive(sample("scratch", timed(1, 5, 108, 100)), {}, 5));
  EXPECT_FALSE(positive(sample("scratch", timed(1, 20, 115, 100)), {}, 20));  // than the program was
  EXPECT_FALSE(positive(sample("scratch", timed(1, 6, 101, 100)), {}, 5));    // than the best text for the step
  const Json lesson = lesson_of(sample("scratch", timed(1, 6, 101, 100)), {{}, 5}, kTask);
  EXPECT_TRUE(lesson.at("is_slow"));
  EXPECT_EQ(lesson.at("verdict").at("outcome"), "right");
}

TEST(Lesson, ARefinementThatIsFasterThanTheTextBeforeIsPositiveWhoeverIsTheIncumbent) {
  const Json slow = timed(1, 20, 115, 100);
  EXPECT_TRUE(positive(sample("refinement", timed(2, 5, 100, 100)), slow, 5));
  EXPECT_FALSE(positive(sample("refinement", timed(2, 19, 114, 100)), slow, 19));
  EXPECT_FALSE(positive(sample("refinement", timed(2, 40, 135, 100)), slow, 20));
}

TEST(Lesson, TheSameQuestionAndAnswerHaveTheSameIdWhicheverRunTheyAreOf) {
  Json again = sample("scratch", verdict(1, "right"));
  const std::string id = lesson_of(again, {}, kTask).at("id");
  again["run"] = "another";
  EXPECT_EQ(lesson_of(again, {}, kTask).at("id"), id);
  again["answer"] = "other code";
  EXPECT_NE(lesson_of(again, {}, kTask).at("id"), id);
}

TEST(Lesson, WhatIsNotThereIsNull) {
  const Json lesson = lesson_of(sample("scratch", verdict(1, "right")), {}, kTask);
  for (const char* name : {"before", "reasoning", "profile", "marks", "rewards", "reference", "model"}) {
    EXPECT_TRUE(lesson.at(name).is_null()) << name;
  }
  EXPECT_EQ(lesson.at("split"), "train");
}

}  // namespace
}  // namespace stitch::harvest
