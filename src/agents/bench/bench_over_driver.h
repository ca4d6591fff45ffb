// SPDX-License-Identifier: Apache-2.0
// The bench over the driver's workbench: a sub-task is any convex group of nodes, its text a file for them.
#pragma once

#include "agents/bench/bench.h"
#include "driver/improve/workbench.h"

namespace stitch::agents {

class DriverBench : public Bench {
 public:
  enum class Judges { kEachProgram, kProgramsThatReplace };

  // `workbench` outlives it. With kProgramsThatReplace a text that is right alone, and too slow by its count to replace
  // the incumbent, is not judged in its program: for texts that come by rule from an emitter whose program was
  // verified. kEnvironment where the user's program can no longer be read.
  static Result<DriverBench> make(driver::Workbench& workbench, Judges judges = Judges::kEachProgram);

  const plan::Plan& plan() const override { return workbench_->expert().program.plan; }
  std::string program_source() const override { return source_; }
  Ground ground_of(const SubTask& sub_task) const override;
  std::optional<std::string> text_by_rule(const SubTask& sub_task, size_t number) const override;
  Result<Trial> try_text(const SubTask& sub_task, const std::string& text,
                         const std::optional<Time>& incumbent) override;
  Result<std::vector<StepTime>> profile(const SubTask& sub_task, const std::string& text) override;
  StepFacts facts_of(const SubTask& sub_task, const std::string& text, const StepTime& step) const override;
  Result<void> adopt(const SubTask& sub_task, const std::string& text) override;

  // Of the best program; nothing where none may be told.
  Result<std::optional<Time>> program_time();

 private:
  DriverBench(driver::Workbench& workbench, std::string source, Judges judges)
      : workbench_(&workbench), source_(std::move(source)), judges_(judges) {}

  driver::Workbench* workbench_;
  std::string source_;
  Judges judges_;
  // The last right text, and its verdict: it is not judged again when it becomes the incumbent's.
  std::string judged_;
  std::optional<evaluate::EvaluateReport> report_;
};

}  // namespace stitch::agents
