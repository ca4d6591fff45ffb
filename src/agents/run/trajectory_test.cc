// SPDX-License-Identifier: Apache-2.0
#include "agents/run/trajectory.h"

#include <gtest/gtest.h>

#include <set>

#include "agents/ask/expert_model.h"
#include "agents/run/kept_texts.h"
#include "agents/run/loop.h"
#include "agents/run/team.h"
#include "agents/testing/bench_of_texts.h"
#include "base/fs/files.h"
#include "base/json/json.h"
#include "ir/text/parser.h"

namespace stitch::agents {
namespace {

// Writes what a list says, reviews as the expert does, and tells the tokens of what it wrote.
class TellingModel : public Model {
 public:
  Result<llm::Completion> answer(const Question& question) override {
    const std::vector<std::string> texts = {"no", "right 50", "nothing of use",
                                            "cannot, because it is as good as it gets"};
    llm::Completion completion;
    if (question.role != Role::kCoder) {
      completion.reply.content = question.expert_answer();
      return completion;
    }
    const std::string text = texts.at(std::min(written_++, texts.size() - 1));
    completion.reply.content = text == "no" || text.starts_with("right") ? fenced(text) : text;
    completion.reply.prompt_tokens = {1, 2};
    completion.reply.tokens = {7};
    completion.reply.log_probs = {-0.5};
    return completion;
  }

 private:
  size_t written_ = 0;
};

struct Told {
  std::vector<Json> all;  // samples
  Json kept;
  State state;
};

Told told_run(const std::filesystem::path& folder) {
  BenchOfTexts bench(plan::make_plan(ir::parse("graph g mode=eval\nx: f32[8,16] = input \"x\"\na = softmax(x; dim=1)\n"
                                               "return output \"0\" = a\n",
                                               "case")
                                         .value(),
                                     {})
                         .value());
  Journal journal = Journal::open(folder).value();
  const Prompts prompts = Prompts::load({}).value();
  Asker asker(journal, false);
  const Seat seat{.model = "m", .answers = std::make_shared<TellingModel>()};
  Roles roles = roles_of({seat, seat, seat}, asker, prompts);
  State initial{
      .task = {.name = "g", .digest = "d", .device = "emulated", .math = "fp32"}, .limits = {}, .incumbent = {}};
  initial.incumbent.program = Time{.us = 110, .low_us = 110, .high_us = 110};
  const RunFolder texts(folder);
  State state = Loop(journal, texts, roles, bench, {}, {}).run(initial).value();
  const Scoring scoring{texts, STITCH_SOURCE_DIR "/rubrics/v3"};
  const Result<Json> kept =
      kept_texts(journal, scoring, state, {{state.attempts.front().changed.front(), "the expert's"}});
  EXPECT_TRUE(kept.has_value());
  return {samples(journal, "run", &scoring).value(), *kept, std::move(state)};
}

double reward_in(const Json& sample, const char* profile) {
  for (const Json& each : sample.at("rewards")) {
    if (each.at("profile") == profile && each.at("reward").is_number()) {
      return each.at("reward").get<double>();
    }
  }
  return 99;
}

TEST(Trajectory, AnswersOfTheCoderHaveSkillVerdictTokensMarksAndRewards) {
  const TemporaryDirectory folder = TemporaryDirectory::make("trajectory").value();
  const Told told = told_run(folder.path());
  std::vector<Json> written;
  for (const Json& sample : told.all) {
    EXPECT_FALSE(sample.at("activity").is_null());
    if (sample.at("role") == "coder" && !sample.at("verdict").is_null()) {
      written.push_back(sample);
    } else if (sample.at("role") != "coder") {
      EXPECT_TRUE(sample.at("skill").is_null() && sample.at("marks").is_null() && sample.at("token_ids").is_null());
    }
  }
  ASSERT_GE(written.size(), 3U);
  EXPECT_EQ(written[0].at("skill"), "scratch");
  EXPECT_EQ(written[1].at("skill"), "refinement");
  EXPECT_EQ(written[0].at("verdict").at("outcome"), "not_compiled");
  EXPECT_EQ(written[1].at("verdict").at("outcome"), "right");
  EXPECT_TRUE(written[1].at("verdict").at("replaced_incumbent").get<bool>());
  EXPECT_EQ(written[2].at("verdict").at("outcome"), "unreadable");
  for (const Json& sample : written) {
    EXPECT_EQ(sample.at("prompt_token_ids"), Json::parse("[1, 2]"));
    EXPECT_EQ(sample.at("token_ids"), Json::parse("[7]"));
    EXPECT_EQ(sample.at("log_probs"), Json::parse("[-0.5]"));
    EXPECT_TRUE(sample.at("marks").at("total").is_number_integer());
  }
  EXPECT_EQ(reward_in(written[0], "cuda_agent_v1"), -1);
  EXPECT_EQ(reward_in(written[0], "stitchcuda_v1"), 0);
  for (const char* profile : {"cuda_agent_v1", "stitchcuda_v1"}) {
    EXPECT_EQ(reward_in(written[1], profile), 99) << "right, but nobody took PyTorch's time";
  }
  EXPECT_EQ(reward_in(written[2], "cuda_agent_v1"), -1) << "no code is as code that does not compile";
  EXPECT_GT(reward_in(written[1], "stitch_v1"), reward_in(written[0], "stitch_v1"));
}

TEST(Trajectory, WhatPeopleReadHasEachTextOnceAndLongOnesCut) {
  const TemporaryDirectory folder = TemporaryDirectory::make("trajectory").value();
  const Told told = told_run(folder.path());
  EXPECT_EQ(told.kept.at("questions").size(), told.all.size());
  std::set<std::string> texts;
  for (const Json& text : told.kept.at("texts")) {
    EXPECT_LE(text.get_ref<const std::string&>().size(), 8'000U);
    EXPECT_TRUE(texts.insert(text.get<std::string>()).second);
  }
  for (const Json& question : told.kept.at("questions")) {
    for (const Json& message : question.at("messages")) {
      EXPECT_LT(message.at("text").get<size_t>(), texts.size());
    }
  }
  for (const Attempt& attempt : told.state.attempts) {
    EXPECT_EQ(told.kept.at("code").contains(attempt.digest), !attempt.digest.empty());
    EXPECT_TRUE(told.kept.at("marks").contains(std::to_string(attempt.number)));
  }
  EXPECT_EQ(told.kept.at("expert").size(), 1U);
}

}  // namespace
}  // namespace stitch::agents
