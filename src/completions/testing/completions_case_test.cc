// SPDX-License-Identifier: Apache-2.0
// Bodies of requests, one a line, and what is understood of them; answers, whole and as streams, of a model that writes
// what the case says; texts in pieces, and where they stop.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/json/json.h"
#include "base/testing/case_file.h"
#include "completions/answer/stop_finder.h"
#include "completions/request/read_request.h"
#include "completions/testing/small_server.h"

namespace stitch::completions::testing {
namespace {

std::string described(const Prompt& prompt) {
  if (const auto* messages = std::get_if<std::vector<tokens::ChatMessage>>(&prompt); messages != nullptr) {
    constexpr const char* kRoles[] = {"system", "user", "assistant", "tool"};
    std::string told;
    for (const tokens::ChatMessage& message : *messages) {
      told += fmt::format("{}:{} ", kRoles[static_cast<size_t>(message.role)], Json(message.content).dump());
      for (const tokens::ToolCall& call : message.calls) {
        told += fmt::format("{}({}) ", call.name, call.arguments);
      }
    }
    return told;
  }
  const auto* text = std::get_if<std::string>(&prompt);
  return (text != nullptr ? Json(*text).dump() : Json(std::get<TokenIds>(prompt)).dump()) + " ";
}

// What differs from a request that says nothing.
std::string described(const CompletionRequest& request) {
  const Sampling& sampling = request.sampling;
  std::string told = described(request.prompt);
  const auto tell = [&told](bool differs, const std::string& what) { told += differs ? what + " " : ""; };
  tell(sampling.temperature != 1, fmt::format("temperature={}", sampling.temperature));
  tell(sampling.top_p != 1, fmt::format("top_p={}", sampling.top_p));
  tell(sampling.top_k != 0, fmt::format("top_k={}", sampling.top_k));
  tell(sampling.seed.has_value(), fmt::format("seed={}", sampling.seed.value_or(0)));
  tell(sampling.max_tokens.has_value(), fmt::format("max_tokens={}", sampling.max_tokens.value_or(0)));
  tell(sampling.count != 1, fmt::format("n={}", sampling.count));
  tell(!sampling.stop.empty(), "stop=" + Json(sampling.stop).dump());
  tell(!sampling.stop_tokens.empty(), "stop_token_ids=" + Json(sampling.stop_tokens).dump());
  tell(!request.schema.empty(), "schema=" + request.schema);
  tell(request.streams, "stream");
  tell(request.wants_usage, "usage");
  tell(request.wants_token_ids, "token_ids");
  tell(request.wants_log_probs, "log_probs");
  tell(request.echoes, "echo");
  told.pop_back();
  return told;
}

Json body_of(const std::string& line, bool is_chat) {
  const Json given = Json::parse(line, nullptr, false);
  if (is_chat || !given.is_object()) {
    return given.is_object() ? chat_body(given) : given;
  }
  Json body = {{"model", "m"}, {"prompt", "hi"}};
  body.merge_patch(given);
  return body;
}

std::string read(const std::string& line, bool is_chat) {
  const Json body = body_of(line, is_chat);
  const auto request = is_chat ? read_chat_request(body) : read_text_request(body);
  return request.has_value() ? described(*request) : "refused: " + request.error().message;
}

// Ids and times are new each time.
std::string without_chance(const std::string& json) {
  Json told = Json::parse(json, nullptr, false);
  if (told.is_discarded()) {
    return json;
  }
  if (told.contains("id")) {
    told["id"] = "ID";
    told["created"] = 0;
  }
  return told.dump();
}

std::string answered(const std::string& line, const std::string& script, bool is_chat) {
  constexpr int64_t kContext = 96;
  const ModelText text = text_of_bytes(kContext);
  ScriptedEngine engine(text);
  engine.write(script);
  const RouteOptions options{.token = "secret"};
  Routes routes(engine, text, options);
  RecordedExchange exchange(post(is_chat ? "/v1/chat/completions" : "/v1/completions", body_of(line, is_chat).dump()));
  routes.answer(exchange);
  std::string told = fmt::format("{} {}\n", exchange.head().status, exchange.head().content_type);
  if (!exchange.head().body.empty()) {
    return told + without_chance(exchange.head().body) + "\n";
  }
  std::istringstream lines(exchange.streamed());
  for (std::string event; std::getline(lines, event);) {
    told += event.starts_with("data: {") ? "data: " + without_chance(event.substr(6)) + "\n" : event + "\n";
  }
  return told + (exchange.is_whole() ? "(end)\n" : "(cut off)\n");
}

std::string stopped(const std::string& line) {
  const Json given = Json::parse(line);
  StopFinder finder(given["stop"].get<std::vector<std::string>>());
  Json told = Json::array();
  for (const Json& piece : given["pieces"]) {
    told.push_back(finder.push(piece.get<std::string>()));
  }
  const bool is_found = finder.is_found();
  told.push_back(finder.finish());
  return told.dump() + (is_found ? " found" : "");
}

std::string run_case(const stitch::testing::CaseFile& one) {
  const bool is_chat = one.run.ends_with("chat");
  const std::string script = one.given.substr(0, one.given.find('\n'));
  std::string told;
  std::istringstream lines(one.input);
  for (std::string line; std::getline(lines, line);) {
    if (one.run.starts_with("answer")) {
      told += answered(line, script, is_chat);
    } else {
      told += fmt::format("{}  -> {}\n", line, one.run == "stop" ? stopped(line) : read(line, is_chat));
    }
  }
  return told;
}

class CompletionsCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(CompletionsCase, ComesToWhatIsExpected) { EXPECT_EQ(stitch::testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, CompletionsCase,
                         ::testing::ValuesIn(stitch::testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                         "/src/completions/testdata")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

}  // namespace
}  // namespace stitch::completions::testing
