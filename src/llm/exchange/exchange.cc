// SPDX-License-Identifier: Apache-2.0
#include "llm/exchange/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/json/json.h"

namespace stitch::llm {
namespace {

struct Limit {
  const char* name;
  int64_t TransferLimits::*place;
};
constexpr std::array kLimits = std::to_array<Limit>({{"connect_ms", &TransferLimits::connect_ms},
                                                     {"first_token_ms", &TransferLimits::first_token_ms},
                                                     {"silence_ms", &TransferLimits::silence_ms},
                                                     {"whole_ms", &TransferLimits::whole_ms},
                                                     {"max_bytes", &TransferLimits::max_bytes}});
struct PoolLimit {
  const char* name;
  int64_t PoolLimits::*place;
};
constexpr std::array kPoolLimits = std::to_array<PoolLimit>({{"concurrency", &PoolLimits::concurrency},
                                                             {"requests_per_minute", &PoolLimits::requests_per_minute},
                                                             {"tokens_per_minute", &PoolLimits::tokens_per_minute}});
constexpr int64_t kMaxLimit = int64_t{1} << 40;
constexpr int64_t kMaxRetries = 100;

Unexpected refused(const std::string& why) { return failure(ErrorCode::kUsage, "a request to an endpoint: " + why); }

Result<KeySource> key_from_json(const Json& json) {
  const auto found = json.find("key");
  if (found == json.end() || found->is_null()) {
    return KeySource{};
  }
  const auto text = [&](const char* name) { return found->is_object() ? found->value(name, Json()) : Json(); };
  const Json environment = text("environment");
  const Json file = text("file");
  if (environment.is_string() == file.is_string()) {
    return refused("its key comes from neither an environment variable nor a file");
  }
  return environment.is_string() ? KeySource{.environment = environment.get<std::string>()}
                                 : KeySource{.file = file.get<std::string>()};
}

Result<int64_t> in_range(const Json& json, const char* name, int64_t least, int64_t greatest) {
  STITCH_ASSIGN(const int64_t value, json_int(json, name));
  if (value < least || value > greatest) {
    return refused(fmt::format("{} is {}, not {} to {}", name, value, least, greatest));
  }
  return value;
}

Json to_json(const PoolUse& pool) {
  Json json = {{"folder", pool.folder}};
  for (const PoolLimit& each : kPoolLimits) {
    json[each.name] = pool.limits.*each.place;
  }
  return json;
}

Result<PoolUse> pool_from_json(const Json& json) {
  PoolUse pool;
  STITCH_ASSIGN(pool.folder, json_string(json, "folder"));
  for (const PoolLimit& each : kPoolLimits) {
    if (json.contains(each.name)) {
      STITCH_ASSIGN(pool.limits.*each.place, in_range(json, each.name, 0, kMaxLimit));
    }
  }
  return pool.folder.starts_with('/') ? Result<PoolUse>(std::move(pool))
                                      : refused("the folder of its pool is no whole path");
}

Json to_json(const ToolCall& call) {
  return {{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}, {"complaint", call.complaint}};
}

Result<ToolCall> call_from_json(const Json& json) {
  ToolCall call;
  STITCH_ASSIGN(call.id, json_string(json, "id"));
  STITCH_ASSIGN(call.name, json_string(json, "name"));
  STITCH_ASSIGN(call.arguments, json_string(json, "arguments"));
  STITCH_ASSIGN(call.complaint, json_string(json, "complaint"));
  return call;
}

Json to_json(const Usage& usage) {
  return {{"prompt_tokens", usage.prompt_tokens},
          {"cached_tokens", usage.cached_tokens},
          {"answer_tokens", usage.answer_tokens},
          {"reasoning_tokens", usage.reasoning_tokens},
          {"is_estimated", usage.is_estimated}};
}

Result<Usage> usage_from_json(const Json& json) {
  Usage usage;
  STITCH_ASSIGN(usage.prompt_tokens, json_int(json, "prompt_tokens"));
  STITCH_ASSIGN(usage.cached_tokens, json_int(json, "cached_tokens"));
  STITCH_ASSIGN(usage.answer_tokens, json_int(json, "answer_tokens"));
  STITCH_ASSIGN(usage.reasoning_tokens, json_int(json, "reasoning_tokens"));
  STITCH_ASSIGN(usage.is_estimated, json_bool(json, "is_estimated"));
  return usage;
}

Finish finish_named(const std::string& name) {
  constexpr std::array kAll = {Finish::kStop, Finish::kLength, Finish::kCalls, Finish::kFiltered, Finish::kOther};
  const auto* found = std::find_if(kAll.begin(), kAll.end(), [&](Finish each) { return name == to_string(each); });
  return found == kAll.end() ? Finish::kOther : *found;
}

}  // namespace

int64_t answer_limit(const Exchange& exchange) {
  const Result<Json> body = parse_json(exchange.body, "a body");
  int64_t tokens = Sampling{}.max_tokens;
  for (const char* name : {"max_tokens", "max_completion_tokens"}) {
    const Result<int64_t> said = body.has_value() ? json_int(*body, name) : Result<int64_t>(tokens);
    tokens = said.has_value() ? std::clamp<int64_t>(*said, 0, kMaxLimit) : tokens;
  }
  return tokens;
}

Result<void> check_url(const std::string& url) {
  const auto no = [](const char* why) { return failure(ErrorCode::kUsage, why); };
  const size_t scheme = url.find("://");
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    return no("the address begins with neither http:// nor https://");
  }
  const std::string host = url.substr(scheme + 3, url.find('/', scheme + 3) - scheme - 3);
  if (host.empty()) {
    return no("the address names no host");
  }
  if (host.find('@') != std::string::npos) {
    return no("the address holds a name or a key: keys come from the environment or a file");
  }
  const bool is_printable = std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < 0x7F; });
  return is_printable && url.find_first_of("?#") == std::string::npos ? Result<void>()
                                                                      : no("the address is no plain one");
}

Json to_json(const Exchange& exchange) {
  Json key;
  if (!exchange.key.environment.empty()) {
    key = {{"environment", exchange.key.environment}};
  } else if (!exchange.key.file.empty()) {
    key = {{"file", exchange.key.file}};
  }
  Json limits;
  for (const Limit& each : kLimits) {
    limits[each.name] = exchange.limits.*each.place;
  }
  Json json = {{"url", exchange.url},
               {"key", std::move(key)},
               {"body", Json::parse(exchange.body, nullptr, /*allow_exceptions=*/false)},
               {"limits", std::move(limits)},
               {"retries", exchange.retries}};
  if (exchange.pool.limits.are_set()) {
    json["pool"] = to_json(exchange.pool);
  }
  return json;
}

Result<Exchange> exchange_from_json(const Json& json) {
  Exchange exchange;
  STITCH_ASSIGN(exchange.url, json_string(json, "url"));
  STITCH_TRY(check_url(exchange.url));
  STITCH_ASSIGN(exchange.key, key_from_json(json));
  STITCH_ASSIGN(const Json* body, json_object(json, "body"));
  exchange.body = body->dump(-1, ' ', false, Json::error_handler_t::replace);
  if (json.contains("limits")) {
    STITCH_ASSIGN(const Json* limits, json_object(json, "limits"));
    for (const Limit& each : kLimits) {
      if (limits->contains(each.name)) {
        STITCH_ASSIGN(exchange.limits.*each.place, in_range(*limits, each.name, 1, kMaxLimit));
      }
    }
  }
  if (json.contains("retries")) {
    STITCH_ASSIGN(exchange.retries, in_range(json, "retries", 0, kMaxRetries));
  }
  if (json.contains("pool")) {
    STITCH_ASSIGN(const Json* pool, json_object(json, "pool"));
    STITCH_ASSIGN(exchange.pool, pool_from_json(*pool));
  }
  return exchange;
}

Json to_json(const Completion& completion) {
  const ChatReply& reply = completion.reply;
  Json calls = Json::array();
  for (const ToolCall& call : reply.calls) {
    calls.push_back(to_json(call));
  }
  Json json = {{"content", reply.content},
               {"reasoning", reply.reasoning},
               {"calls", std::move(calls)},
               {"finish", to_string(reply.finish)},
               {"usage", reply.usage.has_value() ? to_json(*reply.usage) : Json()},
               {"retries", completion.retries},
               {"first_token_seconds", completion.first_token_seconds},
               {"seconds", completion.seconds},
               {"waited_seconds", completion.waited_seconds}};
  if (!reply.prompt_tokens.empty()) {
    json["prompt_token_ids"] = reply.prompt_tokens;
  }
  if (!reply.tokens.empty()) {
    json["token_ids"] = reply.tokens;
  }
  if (!reply.log_probs.empty()) {
    json["log_probs"] = reply.log_probs;
  }
  return json;
}

namespace {

Result<void> read_tokens(const Json& json, ChatReply& reply) {
  if (json.contains("prompt_token_ids")) {
    STITCH_ASSIGN(reply.prompt_tokens, json_int_list(json, "prompt_token_ids"));
  }
  if (json.contains("token_ids")) {
    STITCH_ASSIGN(reply.tokens, json_int_list(json, "token_ids"));
  }
  if (json.contains("log_probs")) {
    STITCH_ASSIGN(const Json* numbers, json_array(json, "log_probs"));
    for (const Json& each : *numbers) {
      if (!each.is_number()) {
        return failure(ErrorCode::kFileInvalid, "member \"log_probs\" is not a list of numbers");
      }
      reply.log_probs.push_back(each.get<double>());
    }
  }
  return {};
}

}  // namespace

Result<Completion> completion_from_json(const Json& json) {
  Completion completion;
  ChatReply& reply = completion.reply;
  STITCH_ASSIGN(reply.content, json_string(json, "content"));
  STITCH_ASSIGN(reply.reasoning, json_string(json, "reasoning"));
  STITCH_ASSIGN(const Json* calls, json_array(json, "calls"));
  for (const Json& each : *calls) {
    STITCH_ASSIGN(ToolCall call, call_from_json(each));
    reply.calls.push_back(std::move(call));
  }
  STITCH_ASSIGN(const std::string finish, json_string(json, "finish"));
  reply.finish = finish_named(finish);
  STITCH_ASSIGN(const Json* usage, json_object(json, "usage"));
  STITCH_ASSIGN(reply.usage, usage_from_json(*usage));
  STITCH_TRY(read_tokens(json, reply));
  STITCH_ASSIGN(completion.retries, json_int(json, "retries"));
  STITCH_ASSIGN(completion.first_token_seconds, json_double(json, "first_token_seconds"));
  STITCH_ASSIGN(completion.seconds, json_double(json, "seconds"));
  if (json.contains("waited_seconds")) {  // answers in older journals lack it
    STITCH_ASSIGN(completion.waited_seconds, json_double(json, "waited_seconds"));
  }
  return completion;
}

}  // namespace stitch::llm
