// SPDX-License-Identifier: Apache-2.0
// `--model expert`: the same questions answered by rule, without a network, so that the whole loop runs anywhere.
#pragma once

#include "agents/ask/model.h"

namespace stitch::agents {

// How a planted mistake spoils an answer.
enum class Mistake { kNone, kDoesNotCompile, kWrong, kMalformed };

class EmbeddedModel : public Model {
 public:
  // `faults`: the part of the answers that a mistake is planted in, which ones by the questions' keys alone.
  explicit EmbeddedModel(double faults) : faults_(faults) {}

  Result<llm::Completion> answer(const Question& question) override;

 private:
  Mistake mistake_in(const Question& question) const;

  double faults_;
};

// A Coder's answer with `text` in a fence.
std::string fenced(const std::string& text);
// The answer with the mistake; code is spoilt within its fence.
std::string with_mistake(const std::string& answer, Mistake mistake);

// "expert" or "expert:faults=0.3": the faults. Nothing for a model of another name; kUsage for faults beyond 0 to 1.
Result<std::optional<double>> embedded_faults(const std::string& model);

}  // namespace stitch::agents
