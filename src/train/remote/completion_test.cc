// SPDX-License-Identifier: Apache-2.0
// What an answer has to hold so that it is learned from: each breach is a sentence, and none is passed over.
#include "train/remote/completion.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch::train {
namespace {

AskedCompletion asked() {
  AskedCompletion asked{.model = "coder-v3", .prompt = {1, 2}, .settings = {}};
  asked.settings.max_tokens = 3;
  asked.settings.stop_tokens = {0, 9};
  asked.settings.seed = 7;
  return asked;
}

// `members` over those of a choice that is right, JSON merge patch; "model" is the answer's.
std::string told(const char* members) {
  const Json change = Json::parse(members);
  Json choice = {{"index", 0},
                 {"text", "ab"},
                 {"prompt_token_ids", {1, 2}},
                 {"token_ids", {5, 6, 9}},
                 {"logprobs", {{"token_logprobs", {-0.5, 0.0, -2.0}}}},
                 {"finish_reason", "stop"}};
  Json answer = {{"model", change.value("model", "coder-v3")}};
  choice.merge_patch(change);
  answer["choices"] = Json::array({choice});
  const auto sample = sample_in(answer, asked());
  if (!sample.has_value()) {
    return sample.error().message.substr(sample.error().message.find(": ") + 2);
  }
  return std::to_string(sample->tokens.size()) + (sample->finish_reason == FinishReason::kStop ? " stop" : " length");
}

TEST(Completion, WhatIsWholeIsTaken) {
  EXPECT_EQ(told("{}"), "3 stop");
  EXPECT_EQ(told(R"({"token_ids": [5, 6, 4], "finish_reason": "length"})"), "3 length");
}

TEST(Completion, EachBreachIsTold) {
  EXPECT_EQ(told(R"({"model": "coder-v2"})"), "it is of the model \"coder-v2\", and coder-v3 was asked");
  EXPECT_EQ(told(R"({"prompt_token_ids": [1]})"), "its prompt_token_ids are not the prompt's");
  EXPECT_EQ(told(R"({"prompt_token_ids": null})"), "its prompt_token_ids are not the prompt's");
  EXPECT_EQ(told(R"({"token_ids": null})"), "its token_ids are no list of 1 to 3 tokens");
  EXPECT_EQ(told(R"({"token_ids": []})"), "its token_ids are no list of 1 to 3 tokens");
  EXPECT_EQ(told(R"({"token_ids": [5, "6", 9]})"), "its token_ids are no list of 1 to 3 tokens");
  EXPECT_EQ(told(R"({"token_ids": [5, 6, 6, 9]})"), "its token_ids are no list of 1 to 3 tokens");
  EXPECT_EQ(told(R"({"logprobs": null})"), "it has 0 log-probabilities of 3 tokens");
  EXPECT_EQ(told(R"({"logprobs": {"token_logprobs": [-1, -1]}})"), "it has 2 log-probabilities of 3 tokens");
  EXPECT_EQ(told(R"({"logprobs": {"token_logprobs": [-1, null, -1]}})"), "a log-probability is null");
  EXPECT_EQ(told(R"({"logprobs": {"token_logprobs": [-1, 0.25, -1]}})"), "a log-probability is 0.25");
  EXPECT_EQ(told(R"({"finish_reason": "length"})"),
            "its last token is one that ends an answer, and its finish_reason is \"length\"");
  EXPECT_EQ(told(R"({"token_ids": [5, 6, 4]})"),
            "its last token is none that ends an answer, and its finish_reason is \"stop\"");
  EXPECT_EQ(told(R"({"token_ids": [5, 6, 4], "finish_reason": "abort"})"),
            "its last token is none that ends an answer, and its finish_reason is \"abort\"");
  EXPECT_FALSE(sample_in(Json::array(), asked()).has_value());
  EXPECT_FALSE(sample_in({{"model", "coder-v3"}, {"choices", Json::array()}}, asked()).has_value());
}

TEST(Completion, EachSamplingKeyIsSent) {
  const Json body = body_of(asked());
  for (const char* key : {"max_tokens", "n", "temperature", "top_p", "top_k", "seed", "stop_token_ids"}) {
    EXPECT_TRUE(body.contains(key)) << key;
  }
  EXPECT_EQ(body["top_k"], -1);
  EXPECT_EQ(body["return_token_ids"], true);
}

TEST(Completion, AnEchoHasAScoreForEachTokenButTheFirst) {
  const auto answer = [](Json log_probs) {
    return Json{{"choices", {{{"logprobs", {{"token_logprobs", std::move(log_probs)}}}}}}};
  };
  EXPECT_EQ(scores_in(answer({nullptr, -1.0, -0.5}), 3).value(), (std::vector<float>{-1.0F, -0.5F}));
  EXPECT_FALSE(scores_in(answer({nullptr, -1.0}), 3).has_value());
  EXPECT_FALSE(scores_in(answer({nullptr, nullptr, -1.0}), 3).has_value());
}

}  // namespace
}  // namespace stitch::train
