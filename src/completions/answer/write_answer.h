// SPDX-License-Identifier: Apache-2.0
// Answers in OpenAI's form, with vLLM's members for tokens: whole, or as events of a stream.
#pragma once

#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "completions/request/completion_request.h"
#include "http/connection/message.h"

namespace stitch::completions {

// What all parts of an answer say.
struct AnswerHead {
  std::string id{};
  int64_t created = 0;  // seconds since 1970
  std::string model{};  // the version that answered
  std::string fingerprint{};
  bool is_chat = true;
};

// One answer with what is told of its tokens.
struct ToldChoice {
  size_t index = 0;
  std::string text{};
  TokenIds tokens{};
  std::vector<std::string> token_texts{};  // bytes of each; a part of a character perhaps
  std::vector<float> log_probs{};          // NaN: none, of a prompt's first token
  bool is_stopped = false;
};

Json whole_answer(const AnswerHead& head, const CompletionRequest& request, const TokenIds& prompt,
                  const std::vector<ToldChoice>& choices, int64_t answer_tokens);

// "data: {...}\n\n". The first of a choice tells its role, and, where they were asked for, the prompt's tokens; the
// last why it ended and all of its tokens with their log-probabilities.
std::string first_event(const AnswerHead& head, const CompletionRequest& request, const TokenIds& prompt, size_t index);
std::string text_event(const AnswerHead& head, size_t index, const std::string& text);
std::string last_event(const AnswerHead& head, const CompletionRequest& request, const ToldChoice& choice);
std::string usage_event(const AnswerHead& head, const TokenIds& prompt, int64_t answer_tokens);
std::string error_event(const std::string& sentence);
inline constexpr const char* kDoneEvent = "data: [DONE]\n\n";

// {"error": {"message": ..., "type": ..., "code": ...}}
http::Response refused(int status, const std::string& sentence);
// The status by the error's code: what a client can mend is 400.
http::Response refused(const Error& error);

}  // namespace stitch::completions
