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

bool positive(const Json& of, const Json& before = {}) { return lesson_of(of, before, kTask).at("is_positive"); }

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

TEST(Lesson, TheSameQuestionAndAnswerHaveTheSameIdWhicheverRunTheyAreOf) {
  Json again = sample("scratch", verdict(1, "right"));
  const std::string id = lesson_of(again, nullptr, kTask).at("id");
  again["run"] = "another";
  EXPECT_EQ(lesson_of(again, nullptr, kTask).at("id"), id);
  again["answer"] = "other code";
  EXPECT_NE(lesson_of(again, nullptr, kTask).at("id"), id);
}

TEST(Lesson, WhatIsNotThereIsNull) {
  const Json lesson = lesson_of(sample("scratch", verdict(1, "right")), nullptr, kTask);
  for (const char* name : {"before", "reasoning", "marks", "rewards", "reference", "model"}) {
    EXPECT_TRUE(lesson.at(name).is_null()) << name;
  }
  EXPECT_EQ(lesson.at("split"), "train");
}

}  // namespace
}  // namespace stitch::harvest
