// SPDX-License-Identifier: Apache-2.0
// A bench for tests: what becomes of a text stands in the text. "right 50" takes 50 us, "wrong", "no" does not compile,
// "world" is a failing world, "alike" a failure that the incumbent shows too.
#pragma once

#include <map>

#include "agents/bench/bench.h"

namespace stitch::agents {

class BenchOfTexts : public Bench {
 public:
  explicit BenchOfTexts(plan::Plan plan);

  const plan::Plan& plan() const override { return plan_; }
  std::string program_source() const override { return "def forward(x): ..."; }
  Ground ground_of(const SubTask& sub_task) const override;
  std::optional<std::string> text_by_rule(const SubTask& sub_task, size_t number) const override;
  Result<Trial> try_text(const SubTask& sub_task, const std::string& text,
                         const std::optional<Time>& incumbent) override;
  Result<std::vector<StepTime>> profile(const SubTask& sub_task, const std::string& text) override;
  StepFacts facts_of(const SubTask&, const std::string&, const StepTime& step) const override {
    return {.step = step.step, .us = step.us};
  }
  Result<void> adopt(const SubTask& sub_task, const std::string& text) override {
    adopted[sub_task.name] = text;
    return {};
  }

  std::map<std::string, std::string> adopted{};
  int tried = 0;

 private:
  plan::Plan plan_;
};

}  // namespace stitch::agents
