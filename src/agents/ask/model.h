// SPDX-License-Identifier: Apache-2.0
// Who answers a role's questions: a model at an endpoint, or the expert by rule.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agents/state/state.h"
#include "llm/exchange/exchange.h"
#include "llm/price/price.h"

namespace stitch::agents {

struct Question {
  Role role = Role::kCoder;
  const llm::ChatRequest& request;
  std::string key{};  // that it is known by in the journal
  // What the expert would answer, in the form that a model's answer has.
  std::function<std::string()> expert_answer{};
  // A right one that is slower on purpose, another for another number; empty: there is none, or none is asked for.
  std::function<std::string(uint32_t)> slow_answer{};
  std::optional<double> seconds{};  // that are left for the answer
};

class Model {
 public:
  virtual ~Model() = default;
  // kEnvironment or kTimeout where the endpoint cannot be asked, or the question's seconds are over.
  virtual Result<llm::Completion> answer(const Question& question) = 0;
};

// One role of a team.
struct Seat {
  std::string model{};  // its name
  llm::Sampling sampling{};
  std::optional<llm::Price> price{};
  bool is_compact = false;           // it is told prompts/compact, for its context is short
  bool is_expert = false;            // by rule, with nothing planted: its texts are those of the expert's own emitter
  std::shared_ptr<Model> answers{};  // roles at one endpoint share its process
};

}  // namespace stitch::agents
