// SPDX-License-Identifier: Apache-2.0
// A verified program whose steps may be written anew, one file at a time: a text is judged in the step alone, then in
// the whole program, and timed. The verdict is made by what `verify` calls.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "driver/build/compile_program.h"
#include "driver/improve/text_trial.h"
#include "driver/judge/judge.h"
#include "driver/time/time_on_gpu.h"

namespace stitch::driver {

// The expert's program, as it was judged; all of it outlives the workbench.
struct VerifiedProgram {
  const Task& task;
  const ImportedProgram& imported;
  const EmittedProgram& program;
  const SubjectSet& set;
  DeviceKind device = DeviceKind::kEmulated;
  const evaluate::EvaluateReport& report;
};

class Workbench {
 public:
  Workbench(Job& job, const toolchain::Toolchain& tools, VerifiedProgram expert)
      : job_(job), tools_(tools), expert_(expert) {}

  const VerifiedProgram& expert() const { return expert_; }
  const plan::Plan& plan() const { return expert_.program.plan; }
  Job& job() { return job_; }

  // "03_fc1_gelu"
  std::string key_of(size_t step) const;
  // The text of the best program's step.
  const std::string& text_of(size_t step) const;
  // Why no other text can be tried for it; empty: one can.
  std::string why_fixed(size_t step) const;
  // The step's text by another of its settings, the best first; nothing where there are no more, or where the rest of
  // the program would have to follow.
  std::optional<std::string> text_by_setting(size_t step, size_t alternative) const;

  // Judges and times. A text that falls short is a value; kEnvironment and the like where the world fails.
  Result<TextTrial> try_text(size_t step, const std::string& text);
  // Of the best program.
  Result<TakenTimes> times();
  // Of the best program with that text, which was found right.
  Result<TakenTimes> times_with(size_t step, const std::string& text);

  // `text`, which was found right, is part of the best program from here on.
  void adopt(size_t step, const std::string& text, std::optional<evaluate::EvaluateReport> report);
  // The files of the best program; its verdict, made now where nobody made one of it as a whole. Where that one is not
  // right, the expert's program is the best again, and `why` says so.
  struct Best {
    SourceBundle bundle{};
    evaluate::EvaluateReport report{};
    SubjectSet set{};
    std::string why{};
  };
  Result<Best> best();

 private:
  std::string path_of(size_t step) const;
  Result<SubjectSet> subjects_with(size_t step, const std::string& text) const;
  SubjectSet with_adopted(SubjectSet set) const;
  Result<std::optional<Finding>> refusal_of_nvcc(const SubjectSet& set);
  Result<bool> incumbent_fails_alike(size_t step, const TextTrial& trial);
  Result<void> take_times(size_t step, const std::string& text, const SubjectSet& set, TextTrial& trial);
  Result<TakenTimes> executed_times(const SubjectSet& set);
  Result<std::optional<TakenTime>> measured_time(const evaluate::EvaluateReport& report);
  Result<TakenTime> measured_step(size_t step, const std::string& text);
  Result<TakenTimes> measured_steps(const SubjectSet& set);

  Job& job_;
  const toolchain::Toolchain& tools_;
  VerifiedProgram expert_;
  std::map<std::string, std::string> adopted_;                    // path to text
  std::optional<evaluate::EvaluateReport> report_;                // of the program with all that was adopted
  std::map<std::pair<size_t, std::string>, TakenTime> measured_;  // texts on a GPU
  std::string timed_text_;                                        // of the latest trial that was timed
  TakenTimes timed_;
};

}  // namespace stitch::driver
