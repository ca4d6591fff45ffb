// SPDX-License-Identifier: Apache-2.0
#include "agents/react/talk.h"

#include <fmt/format.h>

#include <algorithm>

#include "agents/prompts/quote.h"
#include "base/json/json.h"

namespace stitch::agents {
namespace {

constexpr size_t kOpening = 2;       // the system's message and the task, which always stay
constexpr size_t kShortBytes = 400;  // what is shorter is not worth leaving out
constexpr size_t kMaxWordsBytes = 4'000;

size_t bytes_of(const llm::Message& message) {
  size_t bytes = message.content.size();
  for (const llm::ToolCall& call : message.calls) {
    bytes += call.name.size() + call.arguments.size();
  }
  return bytes;
}

void leave_out_result(llm::Message& message) {
  if (message.speaker == llm::Speaker::kTool && message.content.size() > kShortBytes) {
    message.content = fmt::format("[a result of {} bytes, left out: call {} again if it is needed]",
                                  message.content.size(), message.tool);
  }
}

// Long texts among a call's arguments; what is left is a valid object still.
void leave_out_arguments(llm::Message& message) {
  for (llm::ToolCall& call : message.calls) {
    const Result<Json> parsed = parse_json(call.arguments, "a call");
    if (call.arguments.size() <= kShortBytes || !parsed.has_value() || !parsed->is_object()) {
      continue;
    }
    Json kept = Json::object();
    for (const auto& [name, value] : parsed->items()) {
      const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
      kept[name] = text.size() > kShortBytes ? Json(fmt::format("[{} bytes, left out]", text.size())) : value;
    }
    call.arguments = kept.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

}  // namespace

Talk::Talk(std::string system, std::string task, TalkBounds bounds) : bounds_(bounds) {
  messages_ = {{.speaker = llm::Speaker::kSystem, .content = std::move(system)},
               {.speaker = llm::Speaker::kUser, .content = std::move(task)}};
}

void Talk::add_answer(const llm::ChatReply& reply) {
  llm::Message message{.speaker = llm::Speaker::kAssistant, .calls = reply.calls};
  message.content = cut_in_the_middle(reply.content, kMaxWordsBytes);
  messages_.push_back(std::move(message));
  shorten();
}

void Talk::add_result(const llm::ToolCall& call, const std::string& text) {
  messages_.push_back({.speaker = llm::Speaker::kTool,
                       .content = quoted(call.name, text, bounds_.observation_bytes),
                       .call_id = call.id,
                       .tool = call.name});
  shorten();
}

void Talk::add_remark(const std::string& text) {
  messages_.push_back({.speaker = llm::Speaker::kUser, .content = text});
  shorten();
}

size_t Talk::bytes() const {
  size_t bytes = 0;
  for (const llm::Message& message : messages_) {
    bytes += bytes_of(message);
  }
  return bytes;
}

// Where the latest turns begin.
size_t Talk::first_fresh() const {
  size_t at = messages_.size();
  for (size_t turns = 0; at > kOpening && turns < bounds_.fresh_turns;) {
    turns += messages_[--at].speaker == llm::Speaker::kAssistant ? 1 : 0;
  }
  return at;
}

void Talk::shorten() {
  if (bytes() <= bounds_.all_bytes) {
    return;
  }
  const size_t wanted = bounds_.all_bytes / 2;
  const size_t fresh = first_fresh();
  for (const auto leave_out : {leave_out_result, leave_out_arguments}) {
    for (size_t i = kOpening; i < fresh && bytes() > wanted; ++i) {
      leave_out(messages_[i]);
    }
  }
  // A turn goes with its results: a result without its call is refused by servers.
  while (bytes() > wanted && first_fresh() > kOpening) {
    const auto begin = messages_.begin() + kOpening;
    const auto next = std::find_if(begin + 1, messages_.end(),
                                   [](const llm::Message& each) { return each.speaker == llm::Speaker::kAssistant; });
    messages_.erase(begin, next);
  }
  for (size_t i = kOpening; i < messages_.size() && bytes() > bounds_.all_bytes; ++i) {
    leave_out_arguments(messages_[i]);
    if (i + 1 < messages_.size()) {
      leave_out_result(messages_[i]);
    }
  }
}

}  // namespace stitch::agents
