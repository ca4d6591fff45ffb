// SPDX-License-Identifier: Apache-2.0
// One request for a chat completion and its reply. JSON that only passes through (schemas, arguments) is text here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stitch::llm {

enum class Speaker { kSystem, kUser, kAssistant, kTool };

struct ToolCall {
  std::string id{};
  std::string name{};
  std::string arguments{};  // a JSON object; where the model wrote none, what it wrote
  std::string complaint{};  // why they cannot be used; empty: they can
};

struct Message {
  Speaker speaker = Speaker::kUser;
  std::string content{};
  std::vector<ToolCall> calls{};  // of the assistant
  std::string call_id{};          // of a tool: which call this is the result of
  std::string tool{};             // likewise, its name
};

struct Tool {
  std::string name{};
  std::string description{};
  std::string schema{};  // JSON schema of its arguments
};

struct Sampling {
  std::optional<double> temperature{};
  std::optional<double> top_p{};
  std::optional<int64_t> seed{};
  int64_t max_tokens = 16'384;
  bool wants_tokens = false;     // the numbers of prompt and answer, where the server knows `return_token_ids` (vLLM)
  bool wants_log_probs = false;  // of each token of the answer
};

struct ChatRequest {
  std::string model{};
  std::vector<Message> messages{};
  std::vector<Tool> tools{};
  std::string schema{};  // JSON schema of the answer; empty: free text
  Sampling sampling{};
};

// What an endpoint can, as a probe has learned it.
struct Dialect {
  bool streams = true;
  bool tools = true;                      // else a call is one JSON object in the answer's text
  bool schemas = true;                    // response_format of json_schema
  bool usage_in_stream = true;            // stream_options
  bool counts_completion_tokens = false;  // max_completion_tokens in place of max_tokens
};

struct Usage {
  int64_t prompt_tokens = 0;
  int64_t cached_tokens = 0;  // among them
  int64_t answer_tokens = 0;
  int64_t reasoning_tokens = 0;  // among them
  bool is_estimated = false;     // the server did not say: four bytes are taken for a token
};

enum class Finish { kStop, kLength, kCalls, kFiltered, kOther };

struct ChatReply {
  std::string content{};
  std::string reasoning{};
  std::vector<ToolCall> calls{};
  Finish finish = Finish::kOther;
  std::optional<Usage> usage{};  // what the server said
  // For training, where they were asked for and sent; else empty.
  std::vector<int64_t> prompt_tokens{};
  std::vector<int64_t> tokens{};
  std::vector<double> log_probs{};
};

const char* to_string(Finish finish);

// What a request's text comes to where the server does not say.
Usage estimated_usage(size_t prompt_bytes, const ChatReply& reply);

}  // namespace stitch::llm
