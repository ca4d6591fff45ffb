// SPDX-License-Identifier: Apache-2.0
// A reply put together from what a server sends, whole or in pieces.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/json/json_forward.h"
#include "llm/chat/chat.h"
#include "llm/retry/fault.h"

namespace stitch::llm {

class ReplyBuilder {
 public:
  // One event of a stream, or a whole body: its choices have a `delta` or a `message`. The fault where it is none, or
  // where it tells an error.
  std::optional<Fault> take(const Json& piece);

  // Ends the answer where it is, as one that reached its limit.
  void cut();

  bool has_choice() const { return has_choice_; }
  bool has_finished() const { return has_finished_; }
  // Characters joined, arguments checked, and thoughts that stand in the text as <think> taken out of it.
  ChatReply build() const;

 private:
  std::optional<Fault> take_calls(const Json& calls);
  size_t place_of_call(const Json& piece, const Json* id);
  void take_usage(const Json& usage);
  void take_tokens(const Json& piece, const Json& choice);

  ChatReply reply_;
  std::map<int64_t, size_t> place_of_index_;  // among the calls
  bool has_choice_ = false;
  bool has_finished_ = false;
};

}  // namespace stitch::llm
