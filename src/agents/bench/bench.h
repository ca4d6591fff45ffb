// SPDX-License-Identifier: Apache-2.0
// What the loop works on: a verified program, of which sub-tasks may be written anew, judged and timed. Beside the one
// over the driver there is one for tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/planner/agent_plan.h"
#include "agents/verifier/expert_verifier.h"
#include "plan/plan.h"

namespace stitch::agents {

// What became of a text.
struct Trial {
  Outcome outcome = Outcome::kRight;
  std::string told{};         // what its author may know of it
  std::string fingerprint{};  // of a failure
  bool incumbent_fails = false;
  std::optional<Time> step{};
  std::optional<Time> program{};
  std::string facts{};  // for marks: `stitchcuda.facts/1` of the program with it; empty: not known
  double seconds = 0;
  double gpu_seconds = 0;
};

class Bench {
 public:
  virtual ~Bench() = default;

  virtual const plan::Plan& plan() const = 0;      // the expert's
  virtual std::string program_source() const = 0;  // of the user
  // Sentences about a plan whose graph is cut as none of its steps can be tried.
  virtual Complaints complaints(const PlanVersion& plan) const = 0;
  // The steps that a text for it changes.
  virtual std::vector<std::string> changed_by(const SubTask& sub_task) const = 0;
  // Why no text can be tried for it; empty: one can.
  virtual std::string why_fixed(const SubTask& sub_task) const = 0;
  // Of the incumbent.
  virtual std::string text_of(const SubTask& sub_task) const = 0;
  // The expert's text with another of its settings, the best first.
  virtual std::optional<std::string> text_by_setting(const SubTask& sub_task, size_t alternative) const = 0;
  // kEnvironment and the like where the world fails; a text that falls short is a Trial.
  virtual Result<Trial> try_text(const SubTask& sub_task, const std::string& text) = 0;
  // Where the time of the program goes with that text, a time a step.
  virtual Result<std::vector<StepTime>> profile(const SubTask& sub_task, const std::string& text) = 0;
  // What is known of a step beside its time.
  virtual StepFacts facts_of(const StepTime& step) const = 0;
  // The text, which was found right, is the incumbent's from here on.
  virtual void adopt(const SubTask& sub_task, const std::string& text) = 0;
};

}  // namespace stitch::agents
