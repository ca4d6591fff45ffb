// SPDX-License-Identifier: Apache-2.0
#include "completions/answer/write_answer.h"

#include <cmath>
#include <string_view>

#include "base/json/json.h"

namespace stitch::completions {
namespace {

std::string event(const Json& json) {
  return "data: " + json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n\n";
}

Json begun(const AnswerHead& head, bool is_stream) {
  const char* kind = !head.is_chat ? "text_completion" : is_stream ? "chat.completion.chunk" : "chat.completion";
  return {{"id", head.id},
          {"object", kind},
          {"created", head.created},
          {"model", head.model},
          {"system_fingerprint", head.fingerprint}};
}

Json told_number(float value) { return std::isfinite(value) ? Json(value) : Json(); }

Json log_probs_of(const AnswerHead& head, const ToldChoice& choice) {
  if (!head.is_chat) {
    Json told = {{"tokens", choice.token_texts}, {"token_logprobs", Json::array()}};
    for (const float value : choice.log_probs) {
      told["token_logprobs"].push_back(told_number(value));
    }
    return told;
  }
  Json list = Json::array();
  for (size_t i = 0; i < choice.log_probs.size(); ++i) {
    Json bytes = Json::array();
    for (const char byte : choice.token_texts[i]) {
      bytes.push_back(static_cast<uint8_t>(byte));
    }
    list.push_back({{"token", choice.token_texts[i]},
                    {"logprob", told_number(choice.log_probs[i])},
                    {"bytes", std::move(bytes)},
                    {"top_logprobs", Json::array()}});
  }
  return {{"content", std::move(list)}};
}

void tell_tokens(const AnswerHead& head, const CompletionRequest& request, const ToldChoice& choice, Json& told) {
  told["logprobs"] = request.wants_log_probs ? log_probs_of(head, choice) : Json();
  told["finish_reason"] = choice.is_stopped ? "stop" : "length";
  if (request.wants_token_ids) {
    told["token_ids"] = choice.tokens;
  }
}

Json usage_of(const TokenIds& prompt, int64_t answer_tokens) {
  const auto length = static_cast<int64_t>(prompt.size());
  return {{"prompt_tokens", length}, {"completion_tokens", answer_tokens}, {"total_tokens", length + answer_tokens}};
}

Json delta(const AnswerHead& head, size_t index, Json content) {
  Json choice = {{"index", index}};
  choice[head.is_chat ? "delta" : "text"] = std::move(content);
  choice["logprobs"] = nullptr;
  choice["finish_reason"] = nullptr;
  return choice;
}

}  // namespace

Json whole_answer(const AnswerHead& head, const CompletionRequest& request, const TokenIds& prompt,
                  const std::vector<ToldChoice>& choices, int64_t answer_tokens) {
  Json answer = begun(head, false);
  answer["choices"] = Json::array();
  for (const ToldChoice& choice : choices) {
    Json told = {{"index", choice.index}};
    if (head.is_chat) {
      told["message"] = {{"role", "assistant"}, {"content", choice.text}};
    } else {
      told["text"] = choice.text;
    }
    tell_tokens(head, request, choice, told);
    if (request.wants_token_ids && !head.is_chat) {
      told["prompt_token_ids"] = prompt;
    }
    answer["choices"].push_back(std::move(told));
  }
  if (request.wants_token_ids && head.is_chat) {
    answer["prompt_token_ids"] = prompt;
  }
  answer["usage"] = usage_of(prompt, answer_tokens);
  return answer;
}

std::string first_event(const AnswerHead& head, const CompletionRequest& request, const TokenIds& prompt,
                        size_t index) {
  Json chunk = begun(head, true);
  chunk["choices"] =
      Json::array({delta(head, index, head.is_chat ? Json{{"role", "assistant"}, {"content", ""}} : Json(""))});
  if (request.wants_token_ids) {
    (head.is_chat ? chunk : chunk["choices"].front())["prompt_token_ids"] = prompt;
  }
  return event(chunk);
}

std::string text_event(const AnswerHead& head, size_t index, const std::string& text) {
  Json chunk = begun(head, true);
  chunk["choices"] = Json::array({delta(head, index, head.is_chat ? Json{{"content", text}} : Json(text))});
  return event(chunk);
}

std::string last_event(const AnswerHead& head, const CompletionRequest& request, const ToldChoice& choice) {
  Json chunk = begun(head, true);
  Json told = delta(head, choice.index, head.is_chat ? Json::object() : Json(""));
  tell_tokens(head, request, choice, told);
  chunk["choices"] = Json::array({std::move(told)});
  return event(chunk);
}

std::string usage_event(const AnswerHead& head, const TokenIds& prompt, int64_t answer_tokens) {
  Json chunk = begun(head, true);
  chunk["choices"] = Json::array();
  chunk["usage"] = usage_of(prompt, answer_tokens);
  return event(chunk);
}

std::string error_event(const std::string& sentence) {
  return event({{"error", {{"message", sentence}, {"type", "server_error"}, {"code", 500}}}});
}

http::Response refused(int status, const std::string& sentence) {
  const bool is_too_long = sentence.find("context length") != std::string::npos;
  const Json error = {{"message", sentence},
                      {"type", status < 500 ? "invalid_request_error" : "server_error"},
                      {"code", is_too_long ? Json("context_length_exceeded") : Json(status)}};
  return {.status = status,
          .body = Json{{"error", error}}.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n",
          .headers = {}};
}

http::Response refused(const Error& error) {
  const bool is_clients = error.code == ErrorCode::kUsage || error.code == ErrorCode::kFileInvalid ||
                          error.code == ErrorCode::kUnsupportedOperator;
  return refused(is_clients ? 400 : 500, error.message + (error.remedy.empty() ? "" : "; " + error.remedy));
}

}  // namespace stitch::completions
