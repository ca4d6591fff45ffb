// SPDX-License-Identifier: Apache-2.0
#include "completions/request/read_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/json.h"
#include "base/seed/seed.h"
#include "base/text/printable.h"
#include "completions/request/body_reader.h"

namespace stitch::completions {
namespace {

constexpr int64_t kMaxTokens = int64_t{1} << 24;
constexpr int64_t kMaxCount = 16;
constexpr size_t kMaxStops = 16;
constexpr size_t kMaxStopBytes = 1024;

void read_stop(BodyReader& reader, Sampling& sampling) {
  const Json* stop = reader.find("stop");
  if (stop == nullptr) {
    return;
  }
  for (const Json& each : stop->is_array() ? *stop : Json::array({*stop})) {
    const bool is_text = each.is_string() && !each.get_ref<const std::string&>().empty() &&
                         each.get_ref<const std::string&>().size() <= kMaxStopBytes;
    if (!is_text || sampling.stop.size() == kMaxStops) {
      return reader.refuse(
          fmt::format("'stop' has to be a text or a list of at most {} texts, none of them empty or "
                      "longer than {} bytes",
                      kMaxStops, kMaxStopBytes));
    }
    sampling.stop.push_back(each.get<std::string>());
  }
}

// A token that is none is told where the vocabulary is known.
void read_tokens(BodyReader& reader, const std::string& key, const Json* list, TokenIds& tokens) {
  for (const Json& each : list != nullptr && list->is_array() ? *list : Json::array()) {
    if (!each.is_number_integer()) {
      return reader.refuse(fmt::format("'{}' has to be a list of tokens", key));
    }
    tokens.push_back(each.get<int64_t>());
  }
  if (list != nullptr && !list->is_array()) {
    reader.refuse(fmt::format("'{}' has to be a list of tokens", key));
  }
}

void read_sampling(BodyReader& reader, Sampling& sampling, int64_t least_tokens) {
  sampling.temperature = reader.number("temperature", 0, 100).value_or(1);
  sampling.top_p = reader.number("top_p", 0, 1).value_or(1);
  sampling.top_k = std::max<int64_t>(reader.whole("top_k", -1, kMaxTokens).value_or(0), 0);
  if (const auto seed = reader.whole("seed", 0, static_cast<int64_t>(kLargestSeed)); seed.has_value()) {
    sampling.seed = static_cast<uint64_t>(*seed);
  }
  const auto newer = reader.whole("max_completion_tokens", least_tokens, kMaxTokens);
  const auto older = reader.whole("max_tokens", least_tokens, kMaxTokens);
  sampling.max_tokens = newer.has_value() ? newer : older;
  sampling.count = reader.whole("n", 1, kMaxCount).value_or(1);
  read_stop(reader, sampling);
  read_tokens(reader, "stop_token_ids", reader.find("stop_token_ids"), sampling.stop_tokens);
  for (const char* key : {"presence_penalty", "frequency_penalty", "logit_bias", "top_logprobs", "min_p", "ignore_eos",
                          "use_beam_search"}) {
    reader.only_idle(key);
  }
  if (const auto penalty = reader.number("repetition_penalty", 0, 100); penalty.value_or(1) != 1) {
    reader.refuse("'repetition_penalty' is not done here; leave it out");
  }
  reader.ignore("skip_special_tokens");  // tokens are sent beside the text, which never holds control tokens
  for (const char* key : {"user", "metadata", "store", "service_tier", "parallel_tool_calls"}) {
    reader.ignore(key);
  }
}

void read_common(BodyReader& reader, CompletionRequest& request) {
  request.model = reader.text("model");
  if (request.model.empty()) {
    reader.refuse("'model' is missing: GET /v1/models lists those that there are");
  }
  request.streams = reader.flag("stream");
  if (const Json* options = reader.find("stream_options"); options != nullptr) {
    BodyReader inner(*options);
    request.wants_usage = inner.flag("include_usage");
    inner.ignore("include_obfuscation");
    if (const auto done = inner.finish(); !done.has_value()) {
      reader.refuse("'stream_options': " + done.error().message);
    }
  }
  request.wants_token_ids = reader.flag("return_token_ids");
}

std::optional<tokens::Role> role_named(const std::string& word) {
  constexpr std::pair<const char*, tokens::Role> kRoles[] = {{"system", tokens::Role::kSystem},
                                                             {"developer", tokens::Role::kSystem},
                                                             {"user", tokens::Role::kUser},
                                                             {"assistant", tokens::Role::kAssistant},
                                                             {"tool", tokens::Role::kTool}};
  for (const auto& [name, role] : kRoles) {
    if (word == name) {
      return role;
    }
  }
  return std::nullopt;
}

// A text, or a list of parts that are texts.
std::optional<std::string> content_of(const Json& content) {
  if (content.is_string() || content.is_null()) {
    return content.is_null() ? "" : content.get<std::string>();
  }
  std::string text;
  for (const Json& part : content.is_array() ? content : Json::array({Json()})) {
    if (!part.is_object() || part.value("type", Json()) != Json("text") || !part.value("text", Json()).is_string()) {
      return std::nullopt;
    }
    text += part["text"].get<std::string>();
  }
  return text;
}

bool read_call(const Json& call, tokens::ChatMessage& message) {
  const Json function = call.is_object() ? call.value("function", Json()) : Json();
  const Json name = function.is_object() ? function.value("name", Json()) : Json();
  const Json arguments = function.is_object() ? function.value("arguments", Json()) : Json();
  if (!name.is_string() || !arguments.is_string()) {
    return false;
  }
  message.calls.push_back({.name = name.get<std::string>(), .arguments = arguments.get<std::string>()});
  return true;
}

std::string complaint_of_message(const Json& json, std::vector<tokens::ChatMessage>& messages) {
  if (!json.is_object() || !json.value("role", Json()).is_string()) {
    return "is no object with a 'role'";
  }
  const std::optional<tokens::Role> role = role_named(json["role"].get<std::string>());
  const std::optional<std::string> content = content_of(json.value("content", Json()));
  if (!role.has_value()) {
    return "has a role that is none of system, user, assistant, tool";
  }
  if (!content.has_value()) {
    return "has a 'content' that is neither a text nor a list of texts";
  }
  tokens::ChatMessage message{.role = *role, .content = *content, .thoughts = std::nullopt, .calls = {}};
  const Json calls = json.value("tool_calls", Json());
  for (const Json& call : calls.is_array() ? calls : Json::array()) {
    if (!read_call(call, message)) {
      return "has a call of a tool without a name and arguments that are texts";
    }
  }
  messages.push_back(std::move(message));
  return "";
}

void read_messages(BodyReader& reader, CompletionRequest& request) {
  std::vector<tokens::ChatMessage> messages;
  const Json* list = reader.find("messages");
  if (list == nullptr || !list->is_array() || list->empty()) {
    return reader.refuse("'messages' has to be a list of at least one message");
  }
  for (size_t i = 0; i < list->size(); ++i) {
    if (const std::string complaint = complaint_of_message((*list)[i], messages); !complaint.empty()) {
      return reader.refuse(fmt::format("message {} {}", i + 1, complaint));
    }
  }
  request.prompt = std::move(messages);
}

void read_format(BodyReader& reader, CompletionRequest& request) {
  const Json* format = reader.find("response_format");
  if (format == nullptr) {
    return;
  }
  const Json type = format->is_object() ? format->value("type", Json()) : Json();
  if (type == Json("json_object")) {
    request.schema = R"({"type":"object"})";
  } else if (type == Json("json_schema")) {
    const Json named = format->value("json_schema", Json());
    const Json schema = named.is_object() ? named.value("schema", Json()) : Json();
    if (!schema.is_object()) {
      return reader.refuse("'response_format' has no schema in 'json_schema'");
    }
    request.schema = schema.dump();
  } else if (type != Json("text")) {
    reader.refuse("'response_format' has a type that is none of text, json_object, json_schema");
  }
}

}  // namespace

Result<CompletionRequest> read_chat_request(const Json& body) {
  BodyReader reader(body);
  CompletionRequest request;
  read_common(reader, request);
  read_sampling(reader, request.sampling, 1);
  read_messages(reader, request);
  read_format(reader, request);
  request.wants_log_probs = reader.flag("logprobs");
  if (const Json* tools = reader.find("tools"); tools != nullptr && !(tools->is_array() && tools->empty())) {
    reader.refuse(
        "calls of tools are not read out of this model's answers: tell the tools in a message, and ask for one JSON "
        "object with 'response_format'");
  }
  const Json* choice = reader.find("tool_choice");
  if (choice != nullptr && *choice != Json("none") && *choice != Json("auto")) {
    reader.refuse("'tool_choice' asks for tools, which are not done here");
  }
  STITCH_TRY(reader.finish());
  return request;
}

Result<CompletionRequest> read_text_request(const Json& body) {
  BodyReader reader(body);
  CompletionRequest request;
  read_common(reader, request);
  request.echoes = reader.flag("echo");
  read_sampling(reader, request.sampling, request.echoes ? 0 : 1);
  request.wants_log_probs = reader.whole("logprobs", 0, 1).has_value();
  for (const char* key : {"best_of", "suffix"}) {
    reader.only_idle(key);
  }
  const Json* prompt = reader.find("prompt");
  if (prompt != nullptr && prompt->is_string()) {
    request.prompt = prompt->get<std::string>();
  } else {
    TokenIds tokens;
    read_tokens(reader, "prompt", prompt, tokens);
    if (tokens.empty()) {
      reader.refuse("'prompt' has to be a text, or a list of at least one token; each prompt is a request of its own");
    }
    request.prompt = std::move(tokens);
  }
  if (request.echoes && (request.streams || request.sampling.count > 1)) {
    reader.refuse("'echo' goes neither with 'stream' nor with 'n'");
  }
  STITCH_TRY(reader.finish());
  return request;
}

}  // namespace stitch::completions
