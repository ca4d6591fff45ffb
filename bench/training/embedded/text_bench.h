// SPDX-License-Identifier: Apache-2.0
// A bench of nothing but the expert's texts: whoever asks about a step is answered, and nothing can be tried.
#pragma once

#include "agents/bench/bench.h"
#include "artifact/source/source_bundle.h"
#include "codegen/emit.h"
#include "driver/improve/candidate.h"
#include "driver/written/step_nodes.h"

namespace stitch::lessons {

class TextBench : public agents::Bench {
 public:
  TextBench(plan::Plan plan, SourceBundle bundle) : plan_(std::move(plan)), bundle_(std::move(bundle)) {}

  const plan::Plan& plan() const override { return plan_; }
  std::string program_source() const override { return ""; }

  agents::Ground ground_of(const agents::SubTask& sub_task) const override {
    const std::optional<size_t> step = driver::step_with_nodes(plan_, sub_task.nodes);
    if (!step.has_value()) {
      return {.why_fixed = "it is no step"};
    }
    const std::string key = driver::key_of_step(plan_, *step);
    return {.step = key,
            .replaced = {key},
            .present = {{"steps/" + key + ".cu", bundle_.files.at(codegen::step_file_name(plan_, *step))}}};
  }
  // Nothing for what is no step with a file of its own.
  std::optional<std::string> text_by_rule(const agents::SubTask& sub_task, size_t number) const override {
    if (sub_task.kind != agents::SubTaskKind::kStep || number != 0) {
      return std::nullopt;
    }
    const agents::Ground ground = ground_of(sub_task);
    return ground.present.empty() ? std::nullopt : std::optional(ground.present.front().text);
  }

  Result<agents::Trial> try_text(const agents::SubTask&, const std::string&,
                                 const std::optional<agents::Time>&) override {
    return failure(ErrorCode::kInternal, "nothing can be tried here");
  }
  Result<std::vector<agents::StepTime>> profile(const agents::SubTask&, const std::string&) override {
    return failure(ErrorCode::kInternal, "nothing is timed here");
  }
  agents::StepFacts facts_of(const agents::SubTask&, const std::string&, const agents::StepTime& step) const override {
    return {.step = step.step, .us = step.us};
  }
  Result<void> adopt(const agents::SubTask&, const std::string&) override { return {}; }

 private:
  plan::Plan plan_;
  SourceBundle bundle_;
};

}  // namespace stitch::lessons
