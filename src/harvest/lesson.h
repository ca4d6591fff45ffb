// SPDX-License-Identifier: Apache-2.0
// One answer of a Coder as something to learn from: `stitchcuda.lesson/1` (docs/training.md).
#pragma once

#include <optional>
#include <string>

#include "base/json/json_forward.h"

namespace stitch::harvest {

struct LessonTask {
  std::string id{};
  std::string family{};
  std::string split{};  // "train", "validation" or "test", by the family
};

// Why a sample of a trajectory is no lesson.
enum class Fell {
  kOtherRole,   // the Planner's or the Verifier's
  kNoSkill,     // of a session with tools: no single answer was judged
  kUndecided,   // the run ended before it was judged
  kSameLesson,  // the same question has the same answer in an earlier line
};
// "other_role", "no_skill", "undecided", "same_lesson".
const char* to_string(Fell fell);

// Why a line of `stitchcuda.trajectory/1` is no lesson; nothing where it is one. kSameLesson is for who knows the
// others.
std::optional<Fell> fell(const Json& sample);

// Of a sample that did not fall. `before`: the verdict on the Coder's answer before it in the same run, null of a
// first. A lesson is positive where its text is right and, of a refinement, either the text before was not or this one
// took its place for being faster.
Json lesson_of(const Json& sample, const Json& before, const LessonTask& task);

}  // namespace stitch::harvest
