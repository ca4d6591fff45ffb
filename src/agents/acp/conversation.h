// SPDX-License-Identifier: Apache-2.0
// Requests to an agent and their results; what the agent asks meanwhile is answered, what it tells is counted.
#pragma once

#include <functional>

#include "agents/acp/agent_process.h"
#include "base/json/json.h"

namespace stitch::agents {

class AcpConversation {
 public:
  AcpConversation(AgentProcess process, std::filesystem::path workspace, std::function<void(const std::string&)> told)
      : process_(std::move(process)), workspace_(std::move(workspace)), told_(std::move(told)) {}

  // A result, or a sentence on why there is none.
  struct Answer {
    Json result{};
    std::string why{};
    bool was_late = false;
  };
  // At most until `deadline`, and never longer than `silence_s` without a word.
  Answer ask(const std::string& method, Json params, AgentProcess::Clock::time_point deadline, double silence_s);
  // For the answer to the latest request once more, after it was late.
  Answer wait(AgentProcess::Clock::time_point deadline, double silence_s);
  void tell(const std::string& method, Json params);

  int64_t calls() const { return calls_; }  // of tools that the agent told of
  // After them nothing more is said.
  std::string last_words() { return process_.last_words(); }

 private:
  bool take(const Json& message, Answer& answer);
  void hear(const Json& message);

  AgentProcess process_;
  std::filesystem::path workspace_;
  std::function<void(const std::string&)> told_;
  int64_t last_id_ = 0;
  int64_t calls_ = 0;
  int nonsense_ = 0;
};

}  // namespace stitch::agents
