// SPDX-License-Identifier: Apache-2.0
#include "llm/exchange/exchange.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch::llm {
namespace {

std::string refusal(const char* text) {
  const Result<Exchange> exchange = exchange_from_json(Json::parse(text));
  return exchange.has_value() ? "" : exchange.error().message;
}

TEST(Exchange, ReadsBackTheSame) {
  const Exchange exchange{
      .url = "https://host:8000/v1",
      .key = {.file = "/home/me/key"},
      .body = R"({"model":"m"})",
      .limits = {.connect_ms = 1, .first_token_ms = 2, .silence_ms = 3, .whole_ms = 4, .max_bytes = 5},
      .retries = 0,
      .pool = {.folder = "/state/a", .limits = {.concurrency = 2, .tokens_per_minute = 9}}};
  const Json json = to_json(exchange);
  const Result<Exchange> again = exchange_from_json(json);
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(to_json(*again), json);
  const Result<Exchange> least = exchange_from_json(Json::parse(R"({"url": "http://h", "body": {}})"));
  ASSERT_TRUE(least.has_value());
  EXPECT_EQ(least->limits.first_token_ms, 300'000);
  EXPECT_EQ(least->retries, 5);
}

TEST(Exchange, WhatCannotBeSentIsRefused) {
  EXPECT_EQ(refusal(R"({"body": {}})"), "member \"url\" is missing");
  EXPECT_NE(refusal(R"({"url": "file:///etc/passwd", "body": {}})").find("neither http://"), std::string::npos);
  EXPECT_NE(refusal(R"({"url": "http:///v1", "body": {}})").find("no host"), std::string::npos);
  EXPECT_NE(refusal(R"({"url": "http://sk-secret@host/v1", "body": {}})").find("holds a name or a key"),
            std::string::npos);
  EXPECT_EQ(refusal(R"({"url": "http://sk-secret@host/v1", "body": {}})").find("sk-secret"), std::string::npos);
  EXPECT_NE(refusal(R"({"url": "http://host/v1?key=1", "body": {}})").find("no plain one"), std::string::npos);
  EXPECT_NE(refusal(R"({"url": "http://host/\r\nX: 1", "body": {}})").find("no plain one"), std::string::npos);
  EXPECT_EQ(refusal(R"({"url": "http://host", "body": []})"), "member \"body\" is not an object");
  EXPECT_NE(refusal(R"({"url": "http://host", "body": {}, "key": "sk-1"})").find("its key comes from"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"url": "http://host", "body": {}, "limits": {"whole_ms": 0}})").find("whole_ms is 0"),
            std::string::npos);
  EXPECT_EQ(refusal(R"({"url": "http://host", "body": {}, "pool": {"folder": "x"}})"),
            "a request to an endpoint: the folder of its pool is no whole path");
  EXPECT_NE(refusal(R"({"url": "http://host", "body": {}, "retries": 101})").find("retries is 101"), std::string::npos);
}

TEST(Completion, ReadsBackTheSame) {
  const Completion completion{.reply = {.content = "a",
                                        .reasoning = "b",
                                        .calls = {{"1", "read", "{}", ""}, {"2", "x", "[", "no"}},
                                        .finish = Finish::kCalls,
                                        .usage = Usage{1, 2, 3, 4, true},
                                        .prompt_tokens = {1, 2},
                                        .tokens = {3},
                                        .log_probs = {-0.5}},
                              .retries = 2,
                              .first_token_seconds = 0.5,
                              .seconds = 1.5};
  const Json json = to_json(completion);
  const Result<Completion> again = completion_from_json(json);
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(to_json(*again), json);
  Json damaged = json;
  damaged["usage"].erase("answer_tokens");
  EXPECT_FALSE(completion_from_json(damaged).has_value());
  damaged = json;
  damaged["log_probs"] = Json::array({"-0.5"});
  EXPECT_FALSE(completion_from_json(damaged).has_value());
  damaged = json;  // as most servers answer
  for (const char* name : {"prompt_token_ids", "token_ids", "log_probs"}) {
    damaged.erase(name);
  }
  EXPECT_TRUE(completion_from_json(damaged)->reply.tokens.empty());
}

}  // namespace
}  // namespace stitch::llm
