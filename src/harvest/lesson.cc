// SPDX-License-Identifier: Apache-2.0
#include "harvest/lesson.h"

#include "base/hash/sha256.h"
#include "base/json/json.h"

namespace stitch::harvest {
namespace {

bool is_right(const Json& verdict) { return verdict.is_object() && verdict.value("outcome", "") == "right"; }

// Of a time that is there; 0 else.
double us_of(const Json& verdict, const char* name) {
  const Json value = verdict.is_object() ? verdict.value(name, Json()) : Json();
  return value.is_number() ? value.get<double>() : 0;
}

bool is_slower(double us, double than_us) { return us > 0 && than_us > 0 && us > than_us * kSlower; }

// Of the step where both have its time, else of the program.
bool is_faster(const Json& verdict, const Json& before) {
  const bool have_steps = us_of(verdict, "step_us") > 0 && us_of(before, "step_us") > 0;
  const char* name = have_steps ? "step_us" : "program_us";
  return is_slower(us_of(before, name), us_of(verdict, name));
}

bool is_positive(const Json& verdict, bool refines, const LessonContext& context) {
  if (!is_right(verdict)) {
    return false;
  }
  const Json& before = context.before;
  if (!refines) {
    return !is_slow(verdict, context.best_us);
  }
  return (before.is_object() && !is_right(before)) || verdict.value("replaced_incumbent", false) ||
         is_faster(verdict, before);
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
    case Fell::kCopy:
      return "copy";
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

bool is_slow(const Json& verdict, double best_us) {
  return is_right(verdict) && (is_slower(us_of(verdict, "program_us"), us_of(verdict, "incumbent_us")) ||
                               is_slower(us_of(verdict, "step_us"), best_us));
}

Json lesson_of(const Json& sample, const LessonContext& context, const LessonTask& task) {
  const Json& verdict = sample.at("verdict");
  const bool refines = sample.at("skill") == "refinement";
  Json lesson = {{"schema", "stitchcuda.lesson/1"},
                 {"id", identity(sample)},
                 {"task", task.id},
                 {"family", task.family},
                 {"split", task.split},
                 {"skill", sample.at("skill")},
                 {"activity", sample["activity"]},
                 {"before", context.before},
                 {"messages", sample.at("messages")},
                 {"answer", sample.at("answer")},
                 {"reasoning", nullptr},
                 {"verdict", verdict},
                 {"is_slow", is_slow(verdict, context.best_us)},
                 {"is_positive", is_positive(verdict, refines, context)}};
  for (const char* name : {"reasoning", "profile", "marks", "rewards", "reference", "model", "run"}) {
    lesson[name] = sample.value(name, Json());
  }
  return lesson;
}

}  // namespace stitch::harvest
