// SPDX-License-Identifier: Apache-2.0
#include "llm/chat/chat.h"

namespace stitch::llm {
namespace {

int64_t tokens_of(size_t bytes) { return static_cast<int64_t>((bytes + 3) / 4); }

}  // namespace

const char* to_string(Finish finish) {
  switch (finish) {
    case Finish::kStop:
      return "stop";
    case Finish::kLength:
      return "length";
    case Finish::kCalls:
      return "tool_calls";
    case Finish::kFiltered:
      return "content_filter";
    case Finish::kOther:
      return "other";
  }
  return "other";
}

Usage estimated_usage(size_t prompt_bytes, const ChatReply& reply) {
  size_t answer_bytes = reply.content.size() + reply.reasoning.size();
  for (const ToolCall& call : reply.calls) {
    answer_bytes += call.name.size() + call.arguments.size();
  }
  return {.prompt_tokens = tokens_of(prompt_bytes),
          .answer_tokens = tokens_of(answer_bytes),
          .reasoning_tokens = tokens_of(reply.reasoning.size()),
          .is_estimated = true};
}

}  // namespace stitch::llm
