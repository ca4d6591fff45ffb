// SPDX-License-Identifier: Apache-2.0
// One answer of a Coder as something to learn from: `stitchcuda.lesson/1` (docs/training.md).
#pragma once

#include <optional>
#include <string>

#include "base/json/json.h"

namespace stitch::harvest {

struct LessonTask {
  std::string id{};
  std::string family{};
  std::string split{};   // "train", "validation" or "test", by the family
  bool is_copy = false;  // of a program to measure by
};

// Why a sample of a trajectory is no lesson.
enum class Fell {
  kOtherRole,   // the Planner's or the Verifier's
  kNoSkill,     // of a session with tools: no single answer was judged
  kUndecided,   // the run ended before it was judged
  kSameLesson,  // the same question has the same answer in an earlier line
  kCopy,        // its task is a copy of a program to measure by
};
// "other_role", "no_skill", "undecided", "same_lesson", "copy".
const char* to_string(Fell fell);

// Why a line of `stitchcuda.trajectory/1` is no lesson; nothing where it is one. kSameLesson is for who knows the
// others.
std::optional<Fell> fell(const Json& sample);

// What the run knows beside the sample.
struct LessonContext {
  Json before;         // the verdict on the Coder's answer before it in the same run, null of a first
  double best_us = 0;  // of the step, of all right texts for the same sub-task in that run; 0: not known
};

// By which times of two texts differ: less is what the cost model and a busy device are off by.
inline constexpr double kSlower = 1.1;

// Of a right text: a tenth slower than the program that it was held against, or than the best text for its step.
bool is_slow(const Json& verdict, double best_us);

// Of a sample that did not fall. A lesson is positive where its text is right and
// - from scratch, not slow;
// - of a refinement, the text before was not right, or this one took its place, or is faster by a tenth.
Json lesson_of(const Json& sample, const LessonContext& context, const LessonTask& task);

}  // namespace stitch::harvest
