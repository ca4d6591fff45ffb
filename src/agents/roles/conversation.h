// SPDX-License-Identifier: Apache-2.0
// A question to a model that may be sent back twice, with sentences on what is wrong with the answer.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agents/roles/model_roles.h"

namespace stitch::agents {

inline constexpr int kMaxAnswers = 3;

// Takes an answer, or says what is wrong with it.
using TakeAnswer = std::function<std::vector<std::string>(const std::string& answer)>;

struct Conversation {
  Role role = Role::kPlanner;
  std::string system{};
  std::string question{};
  std::string schema{};    // JSON schema of the answer; empty: free text
  std::string returned{};  // the prompt that sends an answer back
};

// What it cost; empty `refused`: an answer was taken.
struct Outspoken {
  std::vector<Spending> spent{};
  std::string refused{};
};
Result<Outspoken> converse(const Desk& desk, const Seat& seat, const State& state, const Conversation& conversation,
                           const std::function<std::string()>& expert_answer, const TakeAnswer& take);

}  // namespace stitch::agents
