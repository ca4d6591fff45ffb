// SPDX-License-Identifier: Apache-2.0
// The messages of a session, kept within a bound by rule: results first lose their middle, then, the oldest first,
// their text, then calls lose what they wrote, and at last whole turns go.
#pragma once

#include <string>
#include <vector>

#include "llm/chat/chat.h"

namespace stitch::agents {

struct TalkBounds {
  size_t observation_bytes = 12'000;  // of one result
  size_t all_bytes = 96'000;          // of all messages: beyond it, it is brought down to half, so that prefixes stay
  size_t fresh_turns = 3;             // that keep their results whatever happens, unless they alone are too many
};

class Talk {
 public:
  Talk(std::string system, std::string task, TalkBounds bounds = {});

  // An answer of the model with its calls.
  void add_answer(const llm::ChatReply& reply);
  // What came of a call of the latest answer; cut to its size and marked as material.
  void add_result(const llm::ToolCall& call, const std::string& text);
  void add_remark(const std::string& text);

  const std::vector<llm::Message>& messages() const { return messages_; }

 private:
  size_t bytes() const;
  size_t first_fresh() const;
  void shorten();

  TalkBounds bounds_;
  std::vector<llm::Message> messages_;
};

}  // namespace stitch::agents
