// SPDX-License-Identifier: Apache-2.0
// What the loop works on: a verified program, of which sub-tasks may be written anew, judged and timed. Beside the one
// over the driver there is one for tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/state/state.h"
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
  std::vector<TriedStep> steps{};  // of the program with it
};

struct PresentFile {
  std::string name{};  // "steps/03_fc1_gelu.cu"
  std::string text{};
};

// What a text for a sub-task begins from and is held against.
struct Ground {
  std::string step{};                   // that it will be: "03_fc1_gelu"
  std::vector<std::string> replaced{};  // steps of the incumbent that it takes nodes from
  // Of a group that is no step of the incumbent: a file behind the contract of written steps that lacks the kernels
  // alone. Empty: the contract is that of the present file.
  std::string skeleton{};
  std::vector<PresentFile> present{};  // how the nodes are computed now
  bool is_module = false;              // a ModelNew: `present` is the file that it begins as
  bool is_host = false;                // choices for the host side: `skeleton` lists the steps, `present` the choices
  std::string why_fixed{};             // why no text can be tried; empty: one can
};

class Bench {
 public:
  virtual ~Bench() = default;

  virtual const plan::Plan& plan() const = 0;      // the expert's
  virtual std::string program_source() const = 0;  // of the user
  virtual Ground ground_of(const SubTask& sub_task) const = 0;
  // What the expert has to offer for it, the best first: its present text, the same with other settings; of a group
  // that is no step its steps joined in one file. Nothing where no more is left.
  virtual std::optional<std::string> text_by_rule(const SubTask& sub_task, size_t number) const = 0;
  // kEnvironment and the like where the world fails; a text that falls short is a Trial.
  // `incumbent`: the time of the program that the text would have to be faster than (is_faster()).
  virtual Result<Trial> try_text(const SubTask& sub_task, const std::string& text,
                                 const std::optional<Time>& incumbent) = 0;
  // Where the time of the program goes with that text, a time a step.
  virtual Result<std::vector<StepTime>> profile(const SubTask& sub_task, const std::string& text) = 0;
  // What is known of a step of the program with that text, beside its time.
  virtual StepFacts facts_of(const SubTask& sub_task, const std::string& text, const StepTime& step) const = 0;
  // The text, which was found right, is the incumbent's from here on.
  virtual Result<void> adopt(const SubTask& sub_task, const std::string& text) = 0;
};

}  // namespace stitch::agents
