// SPDX-License-Identifier: Apache-2.0
#include "agents/testing/bench_of_texts.h"

#include <fmt/format.h>

#include "agents/verifier/fingerprint.h"

namespace stitch::agents {
namespace {

// `stitchcuda.facts/1`, of what a verdict alone says.
std::string facts_with(const char* verdict) {
  return fmt::format(R"({{"skill": "scratch", "candidate": "project", "plan": [],)"
                     R"( "verdict": {{"kind": "{}", "reason": "", "detail": ""}}}})",
                     verdict);
}

Time counted(double us) { return {.kind = TimeKind::kExecuted, .us = us, .low_us = us, .high_us = us}; }

}  // namespace

BenchOfTexts::BenchOfTexts(plan::Plan plan) : plan_(std::move(plan)) {}

Ground BenchOfTexts::ground_of(const SubTask& sub_task) const {
  const auto found = adopted.find(sub_task.name);
  return {.step = sub_task.name,
          .replaced = {sub_task.name},
          .present = {{"steps/" + sub_task.name + ".cu", found == adopted.end() ? "right 100" : found->second}}};
}

std::optional<std::string> BenchOfTexts::text_by_rule(const SubTask& sub_task, size_t number) const {
  return number == 0  ? std::optional(ground_of(sub_task).present.front().text)
         : number < 3 ? std::optional(fmt::format("right {}", 100 - 20 * number))
                      : std::nullopt;
}

Result<Trial> BenchOfTexts::try_text(const SubTask&, const std::string& text, const std::optional<Time>&) {
  ++tried;
  Trial trial;
  if (text.starts_with("world")) {
    return failure(ErrorCode::kEnvironment, "the disk is full");
  }
  if (text.starts_with("right ")) {
    const double us = std::stod(text.substr(6));
    trial.step = counted(us);
    trial.program = counted(us + 10);
    trial.facts = facts_with("ok");
    return trial;
  }
  trial.outcome = text.starts_with("no") ? Outcome::kNotCompiled : Outcome::kWrong;
  trial.told = "it fails: " + text;
  trial.fingerprint = fingerprint(trial.told);
  trial.facts = facts_with(trial.outcome == Outcome::kWrong ? "wrong" : "build_failed");
  trial.incumbent_fails = text.starts_with("alike");
  return trial;
}

Result<std::vector<StepTime>> BenchOfTexts::profile(const SubTask& sub_task, const std::string& text) {
  return std::vector<StepTime>{{.step = sub_task.name, .us = std::stod(text.substr(6))}, {.step = "other", .us = 10}};
}

}  // namespace stitch::agents
