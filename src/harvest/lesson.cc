// SPDX-License-Identifier: Apache-2.0
#include "harvest/lesson.h"

#include "base/hash/sha256.h"
#include "base/json/json.h"

namespace stitch::harvest {
namespace {

bool is_right(const Json& verdict) { return verdict.is_object() && verdict.value("outcome", "") == "right"; }

bool is_positive(const Json& verdict, bool refines, const Json& before) {
  if (!is_right(verdict)) {
    return false;
  }
  return !refines || (before.is_object() && !is_right(before)) || verdict.value("replaced_incumbent", false);
}

// The question and its answer, and nothing that differs between two runs.
std::string identity(const Json& sample) {
  const Json both = {sample.at("messages"), sample.at("answer")};
  return sha256_hex(both.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

const char* to_string(Fell fell) {
  switch (fell) {
    case Fell::kOtherRole:
      return "other_role";
    case Fell::kNoSkill:
      return "no_skill";
    case Fell::kUndecided:
      return "undecided";
    case Fell::kSameLesson:
      return "same_lesson";
  }
  return "";
}

std::optional<Fell> fell(const Json& sample) {
  if (sample.value("role", Json()) != Json("coder")) {
    return Fell::kOtherRole;
  }
  if (!sample.value("skill", Json()).is_string() || !sample.value("answer", Json()).is_string()) {
    return Fell::kNoSkill;
  }
  if (!sample.value("verdict", Json()).is_object()) {
    return Fell::kUndecided;
  }
  return std::nullopt;
}

Json lesson_of(const Json& sample, const Json& before, const LessonTask& task) {
  const Json& verdict = sample.at("verdict");
  const bool refines = sample.at("skill") == "refinement";
  Json lesson = {{"schema", "stitchcuda.lesson/1"},
                 {"id", identity(sample)},
                 {"task", task.id},
                 {"family", task.family},
                 {"split", task.split},
                 {"skill", sample.at("skill")},
                 {"activity", sample["activity"]},
                 {"before", before},
                 {"messages", sample.at("messages")},
                 {"answer", sample.at("answer")},
                 {"reasoning", nullptr},
                 {"verdict", verdict},
                 {"is_positive", is_positive(verdict, refines, before)}};
  for (const char* name : {"reasoning", "marks", "rewards", "reference", "model", "run"}) {
    lesson[name] = sample.value(name, Json());
  }
  return lesson;
}

}  // namespace stitch::harvest
