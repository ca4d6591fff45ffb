// SPDX-License-Identifier: Apache-2.0
// The bench over the driver's workbench: a sub-task is one step of the expert's plan, its text that step's whole file.
#pragma once

#include <map>

#include "agents/bench/bench.h"
#include "driver/improve/workbench.h"

namespace stitch::agents {

class DriverBench : public Bench {
 public:
  // `workbench` outlives it. kEnvironment where the user's program can no longer be read.
  static Result<DriverBench> make(driver::Workbench& workbench);

  const plan::Plan& plan() const override { return workbench_->plan(); }
  std::string program_source() const override { return source_; }
  Complaints complaints(const PlanVersion& plan) const override;
  std::vector<std::string> changed_by(const SubTask& sub_task) const override;
  std::string why_fixed(const SubTask& sub_task) const override;
  std::string text_of(const SubTask& sub_task) const override;
  std::optional<std::string> text_by_setting(const SubTask& sub_task, size_t alternative) const override;
  Result<Trial> try_text(const SubTask& sub_task, const std::string& text) override;
  Result<std::vector<StepTime>> profile(const SubTask& sub_task, const std::string& text) override;
  StepFacts facts_of(const StepTime& step) const override;
  void adopt(const SubTask& sub_task, const std::string& text) override;

  // Of the best program; nothing where none may be told.
  Result<std::optional<Time>> program_time();

 private:
  DriverBench(driver::Workbench& workbench, std::string source);
  std::optional<size_t> step_of(const SubTask& sub_task) const;

  driver::Workbench* workbench_;
  std::string source_;
  std::vector<std::vector<std::string>> nodes_;  // of each step, as its sub-task names them
  // The last right text, and its verdict: it is not judged again when it becomes the incumbent's.
  std::string judged_;
  std::optional<evaluate::EvaluateReport> report_;
};

}  // namespace stitch::agents
