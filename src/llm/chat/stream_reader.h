// SPDX-License-Identifier: Apache-2.0
// The body of a reply as it arrives: a stream of events, or one JSON object where the server does not stream.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "llm/chat/reply_builder.h"
#include "llm/sse/sse_parser.h"

namespace stitch::llm {

class StreamReader {
 public:
  // After `max_pieces` the answer is taken as one that reached its limit: some servers know no limit of tokens, and
  // some models no end.
  explicit StreamReader(int64_t max_pieces = std::numeric_limits<int64_t>::max()) : pieces_left_(max_pieces) {}

  // The next bytes. A fault ends the reading.
  std::optional<Fault> feed(std::string_view bytes);
  // The reply, when the connection has ended. One that ended early is a fault, since half an answer is none.
  std::variant<ChatReply, Fault> finish();
  // Whether a piece of an answer has come: comments and headers alone are none.
  bool has_begun() const { return builder_.has_choice() || !object_.empty(); }
  // Whether the server has said that nothing follows, or nothing more is taken.
  bool is_done() const { return is_done_; }

 private:
  enum class Form { kUnknown, kEvents, kObject };
  std::optional<Fault> take(const std::string& data);

  Form form_ = Form::kUnknown;
  std::string object_;
  SseParser events_;
  ReplyBuilder builder_;
  int64_t pieces_left_;
  bool is_page_ = false;  // of HTML, as addresses of people's pages answer
  bool is_done_ = false;
};

}  // namespace stitch::llm
