// SPDX-License-Identifier: Apache-2.0
#include "llm/chat/reply_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json/json.h"
#include "llm/chat/actions.h"
#include "llm/sse/utf8.h"

namespace stitch::llm {
namespace {

constexpr size_t kMaxCalls = 128;
constexpr double kNoLogProb = -9999;  // as servers say of a token that is next to impossible

const Json* member(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

void append(std::string& into, const Json* text) {
  if (text != nullptr && text->is_string()) {
    into += text->get_ref<const std::string&>();
  }
}

// Text, or a list of parts of which some are text.
void append_content(std::string& into, const Json* content) {
  append(into, content);
  if (content != nullptr && content->is_array()) {
    for (const Json& part : *content) {
      append(into, member(part, "text"));
    }
  }
}

std::optional<int64_t> count(const Json* number) {
  if (number == nullptr || !number->is_number_integer()) {
    return std::nullopt;
  }
  constexpr int64_t kMaxTokens = int64_t{1} << 40;
  const int64_t value = number->get<int64_t>();
  return value < 0 || value > kMaxTokens ? std::nullopt : std::optional(value);
}

int64_t count_in(const Json& usage, const char* details, const char* key) {
  const Json* inside = member(usage, details);
  return inside == nullptr ? 0 : count(member(*inside, key)).value_or(0);
}

void append_numbers(std::vector<int64_t>& into, const Json* numbers) {
  if (numbers != nullptr && numbers->is_array()) {
    for (const Json& each : *numbers) {
      into.push_back(count(&each).value_or(-1));  // none of a server's is negative: a place that is kept, not a token
    }
  }
}

Finish finish_named(const std::string& name) {
  if (name == "stop") {
    return Finish::kStop;
  }
  if (name == "length") {
    return Finish::kLength;
  }
  if (name == "tool_calls" || name == "function_call") {
    return Finish::kCalls;
  }
  return name == "content_filter" ? Finish::kFiltered : Finish::kOther;
}

Fault broken(std::string message) { return {.kind = FaultKind::kBroken, .message = std::move(message)}; }

Fault told_error(const Json& piece, const Json& error) {
  const std::optional<int64_t> code = count(member(error, "code"));
  const bool is_status = code.has_value() && *code >= 400 && *code < 600;
  return fault_of_response(is_status ? static_cast<int>(*code) : 500, piece.dump());
}

// Some models think aloud in their answer, and some servers leave that there. Where the prompt's template opens the
// thoughts, the answer holds their end alone.
void take_thoughts(ChatReply& reply) {
  constexpr std::string_view kBegin = "<think>";
  constexpr std::string_view kEnd = "</think>";
  const size_t begin = reply.content.find_first_not_of(" \r\n");
  const size_t first_end = reply.content.find(kEnd);
  const bool is_opened = begin != std::string::npos && reply.content.compare(begin, kBegin.size(), kBegin) == 0;
  const bool ends_alone = first_end != std::string::npos && reply.content.find(kBegin) > first_end;
  if (!is_opened && !ends_alone) {
    return;
  }
  const size_t inside = is_opened ? begin + kBegin.size() : 0;
  const size_t end = std::min(reply.content.find(kEnd, inside), reply.content.size());
  reply.reasoning += reply.content.substr(inside, end - inside);
  const size_t rest = reply.content.find_first_not_of("\r\n", std::min(end + kEnd.size(), reply.content.size()));
  reply.content = rest == std::string::npos ? "" : reply.content.substr(rest);
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

// A model that ended by itself has answered. Where its thoughts were never closed, or its server looks for them by
// other marks than it makes, all of the answer came as thoughts.
void answer_from_thoughts(ChatReply& reply) {
  if (reply.finish == Finish::kStop && reply.calls.empty() && is_blank(reply.content)) {
    reply.content = std::exchange(reply.reasoning, {});
  }
}

// Results are matched to calls by their ids, which some servers repeat.
void make_ids_unique(std::vector<ToolCall>& calls) {
  for (size_t i = 0; i < calls.size(); ++i) {
    const auto is_taken = [&](const std::string& id) {
      return std::any_of(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(i),
                         [&](const ToolCall& before) { return before.id == id; });
    };
    std::string id = calls[i].id.empty() ? "call_" + std::to_string(i + 1) : calls[i].id;
    for (size_t number = i + 1; is_taken(id); ++number) {
      id = "call_" + std::to_string(number);
    }
    calls[i].id = std::move(id);
  }
}

}  // namespace

std::optional<Fault> ReplyBuilder::take(const Json& piece) {
  if (!piece.is_object()) {
    return broken("what the endpoint sent is no JSON object");
  }
  if (const Json* error = member(piece, "error"); error != nullptr) {
    return told_error(piece, *error);
  }
  if (const Json* usage = member(piece, "usage"); usage != nullptr) {
    take_usage(*usage);
  }
  const Json* choices = member(piece, "choices");
  if (choices == nullptr || !choices->is_array() || choices->empty()) {
    return std::nullopt;  // a last event with the usage alone, or one that keeps the connection open
  }
  const Json& choice = choices->front();
  if (!choice.is_object()) {
    return broken("the endpoint's choice is no JSON object");
  }
  has_choice_ = true;
  take_tokens(piece, choice);
  const Json* delta = member(choice, "delta");
  delta = delta == nullptr ? member(choice, "message") : delta;
  if (delta != nullptr) {
    append_content(reply_.content, member(*delta, "content"));
    const Json* reasoning = member(*delta, "reasoning_content");
    append(reply_.reasoning, reasoning == nullptr ? member(*delta, "reasoning") : reasoning);
    if (const Json* calls = member(*delta, "tool_calls"); calls != nullptr) {
      if (std::optional<Fault> fault = take_calls(*calls); fault.has_value()) {
        return fault;
      }
    }
  }
  if (const Json* finish = member(choice, "finish_reason"); finish != nullptr && finish->is_string()) {
    reply_.finish = finish_named(finish->get<std::string>());
    has_finished_ = true;
  }
  return std::nullopt;
}

// Pieces of one call have its index. Where a server gives none, an id begins another call, and where it gives all the
// same one, an id and a name do.
size_t ReplyBuilder::place_of_call(const Json& piece, const Json* id) {
  const std::optional<int64_t> index = count(member(piece, "index"));
  if (!index.has_value()) {
    return id != nullptr || reply_.calls.empty() ? reply_.calls.size() : reply_.calls.size() - 1;
  }
  const auto [found, is_new] = place_of_index_.try_emplace(*index, reply_.calls.size());
  const Json* function = member(piece, "function");
  const Json* name = function == nullptr ? nullptr : member(*function, "name");
  if (!is_new && id != nullptr && name != nullptr && id->is_string() && name->is_string()) {
    const ToolCall& known = reply_.calls[found->second];
    const bool is_another = !known.id.empty() && *id != known.id && !name->get_ref<const std::string&>().empty();
    found->second = is_another ? reply_.calls.size() : found->second;
  }
  return found->second;
}

std::optional<Fault> ReplyBuilder::take_calls(const Json& calls) {
  if (!calls.is_array()) {
    return broken("the endpoint's tool calls are no list");
  }
  for (const Json& piece : calls) {
    const Json* id = member(piece, "id");
    const size_t place = place_of_call(piece, id);
    if (place >= kMaxCalls) {
      return broken(fmt::format("the endpoint's answer has more than {} tool calls", kMaxCalls));
    }
    if (place == reply_.calls.size()) {
      reply_.calls.emplace_back();
    }
    ToolCall& call = reply_.calls[place];
    if (call.id.empty()) {
      append(call.id, id);
    }
    const Json* function = member(piece, "function");
    if (function == nullptr) {
      continue;
    }
    if (call.name.empty()) {  // some repeat it with every piece
      append(call.name, member(*function, "name"));
    }
    const Json* arguments = member(*function, "arguments");
    append(call.arguments, arguments);
    if (arguments != nullptr && !arguments->is_string()) {
      call.arguments = arguments->dump();
    }
  }
  return std::nullopt;
}

void ReplyBuilder::take_usage(const Json& usage) {
  const std::optional<int64_t> prompt = count(member(usage, "prompt_tokens"));
  const std::optional<int64_t> answer = count(member(usage, "completion_tokens"));
  if (!prompt.has_value() || !answer.has_value()) {
    return;
  }
  reply_.usage = {.prompt_tokens = *prompt,
                  .cached_tokens = count_in(usage, "prompt_tokens_details", "cached_tokens"),
                  .answer_tokens = *answer,
                  .reasoning_tokens = count_in(usage, "completion_tokens_details", "reasoning_tokens")};
}

// vLLM sends the prompt's with the first piece, in it or in its choice; log-probabilities are as hosted APIs have them.
void ReplyBuilder::take_tokens(const Json& piece, const Json& choice) {
  if (reply_.prompt_tokens.empty()) {
    const Json* in_piece = member(piece, "prompt_token_ids");
    append_numbers(reply_.prompt_tokens, in_piece == nullptr ? member(choice, "prompt_token_ids") : in_piece);
  }
  append_numbers(reply_.tokens, member(choice, "token_ids"));
  const Json* log_probs = member(choice, "logprobs");
  const Json* content = log_probs == nullptr ? nullptr : member(*log_probs, "content");
  if (content == nullptr || !content->is_array()) {
    return;
  }
  for (const Json& token : *content) {
    const Json* value = member(token, "logprob");
    const bool is_number = value != nullptr && value->is_number() && std::isfinite(value->get<double>());
    reply_.log_probs.push_back(is_number ? value->get<double>() : kNoLogProb);
  }
}

void ReplyBuilder::cut() {
  reply_.finish = Finish::kLength;
  has_finished_ = true;
}

ChatReply ReplyBuilder::build() const {
  ChatReply reply = reply_;
  reply.content = with_marked_bytes_joined(reply.content);
  reply.reasoning = with_marked_bytes_joined(reply.reasoning);
  take_thoughts(reply);
  for (ToolCall& call : reply.calls) {
    call.arguments = with_marked_bytes_joined(call.arguments);
    call.name = with_marked_bytes_joined(call.name);
    call.id = with_marked_bytes_joined(call.id);
    call = with_checked_arguments(std::move(call));
  }
  make_ids_unique(reply.calls);
  answer_from_thoughts(reply);
  return reply;
}

}  // namespace stitch::llm
