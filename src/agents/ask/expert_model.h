// SPDX-License-Identifier: Apache-2.0
// `--model expert`: the same questions answered by rule, without a network, so that the whole loop runs anywhere.
#pragma once

#include "agents/ask/model.h"

namespace stitch::agents {

// How a planted mistake spoils an answer.
enum class Mistake { kNone, kDoesNotCompile, kWrong, kMalformed };

// What is planted in answers, which ones by the questions' keys and the seed alone.
struct Planted {
  double faults = 0;  // the part of the answers that have a mistake
  double slow = 0;    // the part that are right and slower on purpose, where there is such an answer
  int64_t seed = 0;
};

class ExpertModel : public Model {
 public:
  explicit ExpertModel(const Planted& planted) : planted_(planted) {}

  Result<llm::Completion> answer(const Question& question) override;

 private:
  Planted planted_;
};

// A Coder's answer with `text` in a fence.
std::string fenced(const std::string& text);
// The answer with the mistake; code is spoilt within its fence.
std::string with_mistake(const std::string& answer, Mistake mistake);

// "expert" or "expert:faults=0.3,slow=0.3,seed=2", in any order. Nothing for a model of another name; kUsage for parts
// that are none, or that are more than all answers together.
Result<std::optional<Planted>> planted_by(const std::string& model);

}  // namespace stitch::agents
