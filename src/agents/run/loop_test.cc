// SPDX-License-Identifier: Apache-2.0
#include "agents/run/loop.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "agents/ask/expert_model.h"
#include "agents/roles/context.h"
#include "agents/roles/expert_roles.h"
#include "agents/roles/model_roles.h"
#include "agents/run/team.h"
#include "agents/state/state_json.h"
#include "agents/testing/bench_of_texts.h"
#include "base/fs/files.h"
#include "base/json/json.h"
#include "ir/text/parser.h"

namespace stitch::agents {
namespace {

constexpr const char* kGraph = R"(graph g mode=eval
x: f32[8,16] = input "x"
a = softmax(x; dim=1)
b = sum(a; dim=[0], keepdim=false)
return output "0" = b
)";

// Answers by what the prompt asks for: `write` is told how often it was asked before.
class ListModel : public Model {
 public:
  explicit ListModel(std::vector<std::string> answers) : answers_(std::move(answers)) {}
  Result<llm::Completion> answer(const Question& question) override {
    if (dies_after == 0) {
      return failure(ErrorCode::kEnvironment, "the endpoint is gone");
    }
    --dies_after;
    keys.push_back(question.key);
    llm::Completion completion;
    completion.reply.content =
        question.role == Role::kCoder ? answers_.at(std::min(asked_++, answers_.size() - 1)) : question.expert_answer();
    completion.reply.usage = llm::Usage{.prompt_tokens = 100, .answer_tokens = 10};
    longest = std::max(longest, question.request.messages.back().content.size());
    return completion;
  }

  std::vector<std::string> keys{};
  int dies_after = -1;
  size_t longest = 0;

 private:
  std::vector<std::string> answers_;
  size_t asked_ = 0;
};

class LoopRun : public ::testing::Test {
 protected:
  static BenchOfTexts bench() { return BenchOfTexts(plan::make_plan(ir::parse(kGraph, "case").value(), {}).value()); }
  static State initial(const Limits& limits = {}) {
    State state{
        .task = {.name = "g", .digest = "d", .device = "emulated", .math = "fp32"}, .limits = limits, .incumbent = {}};
    state.incumbent.program = Time{.us = 110, .low_us = 110, .high_us = 110};
    return state;
  }
  Result<State> run(Bench& bench, const std::shared_ptr<Model>& model, const State& begin, bool is_offline = false,
                    const LoopParts& parts = {}) {
    Result<Journal> journal = Journal::open(folder_.path());
    EXPECT_TRUE(journal.has_value());
    const Result<Prompts> prompts = Prompts::load({});
    Asker asker(*journal, is_offline);
    const Seat seat{.model = "m", .answers = model};
    Roles roles = roles_of({seat, seat, seat}, asker, *prompts);
    return Loop(*journal, RunFolder(folder_.path()), roles, bench, parts, {}).run(begin);
  }
  static std::vector<std::string> wrapped(std::vector<std::string> texts) {
    for (std::string& text : texts) {
      text = text.starts_with("cannot") ? text : fenced(text);
    }
    return texts;
  }

  TemporaryDirectory folder_ = TemporaryDirectory::make("loop").value();
};

std::string outcomes(const State& state) {
  std::string text;
  for (const Attempt& each : state.attempts) {
    text += fmt::format("{}{} ", to_string(each.outcome), each.replaced_incumbent ? "!" : "");
  }
  return text;
}

TEST_F(LoopRun, ReplacesTheIncumbentByWhatIsRightAndFaster) {
  BenchOfTexts bench = LoopRun::bench();
  const auto model = std::make_shared<ListModel>(
      wrapped({"no", "wrong", "right 50", "right 49", "cannot, because it is as good as it gets"}));
  const Result<State> state = run(bench, model, initial());
  ASSERT_TRUE(state.has_value()) << state.error().message;
  EXPECT_EQ(outcomes(*state), "not_compiled wrong right! right ");
  ASSERT_FALSE(bench.adopted.empty());
  EXPECT_EQ(bench.adopted.begin()->second, "right 50\n");
  EXPECT_EQ(state->activity, Activity::kStopped);
  EXPECT_EQ(state->incumbent.program->us, 60);
}

TEST_F(LoopRun, KeepsFactsOfWhatWasTriedUnlessMarksAreLeftOut) {
  for (const bool marks : {true, false}) {
    folder_ = TemporaryDirectory::make("loop").value();
    BenchOfTexts bench = LoopRun::bench();
    const auto model = std::make_shared<ListModel>(wrapped({"right 50", "cannot, because no"}));
    ASSERT_TRUE(run(bench, model, initial(), false, {.marks = marks}).has_value());
    EXPECT_EQ(RunFolder(folder_.path()).facts(1).empty(), !marks);
  }
}

TEST_F(LoopRun, GoesOnAfterAnyRequestThatFailedAndPaysForNoneTwice) {
  const std::vector<std::string> answers = wrapped({"no", "right 50", "right 30",
                                                    "cannot, because"
                                                    " no"});
  BenchOfTexts whole = LoopRun::bench();
  const auto once = std::make_shared<ListModel>(answers);
  const Result<State> expected = run(whole, once, initial());
  ASSERT_TRUE(expected.has_value());
  for (int after = 0; after < static_cast<int>(once->keys.size()); ++after) {
    folder_ = TemporaryDirectory::make("loop").value();
    const auto model = std::make_shared<ListModel>(answers);
    model->dies_after = after;
    BenchOfTexts first = LoopRun::bench();
    const Result<State> paused = run(first, model, initial());
    ASSERT_TRUE(paused.has_value());
    EXPECT_EQ(paused->activity, Activity::kPaused);
    EXPECT_NE(paused->pause_reason.find("the endpoint is gone"), std::string::npos);
    model->dies_after = -1;
    BenchOfTexts second = LoopRun::bench();
    const Result<State> state = run(second, model, initial());
    ASSERT_TRUE(state.has_value());
    EXPECT_EQ(outcomes(*state), outcomes(*expected)) << after;
    EXPECT_EQ(model->keys, once->keys) << after;
    EXPECT_EQ(second.adopted, whole.adopted);
  }
}

TEST_F(LoopRun, AFailingWorldPausesAndChargesNoAttempt) {
  for (const char* text : {"world", "alike"}) {
    folder_ = TemporaryDirectory::make("loop").value();
    BenchOfTexts bench = LoopRun::bench();
    const Result<State> state = run(bench, std::make_shared<ListModel>(wrapped({text})), initial());
    ASSERT_TRUE(state.has_value());
    EXPECT_EQ(state->activity, Activity::kPaused);
    EXPECT_TRUE(state->attempts.empty());
  }
}

TEST_F(LoopRun, OfAnotherProgramIsNotGoneOnWith) {
  BenchOfTexts bench = LoopRun::bench();
  ASSERT_TRUE(run(bench, std::make_shared<ListModel>(wrapped({"world"})), initial()).has_value());
  State other = initial();
  other.task.digest = "e";
  EXPECT_FALSE(run(bench, std::make_shared<ListModel>(wrapped({"world"})), other).has_value());
}

TEST_F(LoopRun, NoLimitOnTokensIsPassed) {
  BenchOfTexts bench = LoopRun::bench();
  const auto model = std::make_shared<ListModel>(wrapped({"right 50"}));
  const Result<State> state = run(bench, model, initial({.tokens = 1000}));
  ASSERT_TRUE(state.has_value());
  EXPECT_TRUE(model->keys.empty());
  EXPECT_EQ(state->activity, Activity::kStopped);
  EXPECT_NE(state->decisions.back().reason.find("the budget is spent (the request"), std::string::npos);
  EXPECT_NE(state->decisions.back().reason.find("over 1000"), std::string::npos);
}

TEST_F(LoopRun, TenRoundsStayWithinTheContext) {
  BenchOfTexts bench = LoopRun::bench();
  const std::string long_text = std::string(200'000, 'x');
  const auto model = std::make_shared<ListModel>(wrapped({"no " + long_text, "wrong " + long_text}));
  const Result<State> state = run(bench, model, initial({.repairs = 9, .replans = 0}));
  ASSERT_TRUE(state.has_value());
  EXPECT_GE(state->attempts.size(), 10u);
  EXPECT_LE(model->longest, 32'000 * kBytesPerToken);
}

TEST_F(LoopRun, OfTheExpertModelTriesSettings) {
  BenchOfTexts bench = LoopRun::bench();
  const Result<State> state = run(bench, std::make_shared<ExpertModel>(Planted{}), initial());
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(outcomes(*state).substr(0, 20), "right right! right! ");
}

TEST_F(LoopRun, WithPlantedMistakesStillEnds) {
  BenchOfTexts bench = LoopRun::bench();
  const Result<State> state = run(bench, std::make_shared<ExpertModel>(Planted{.faults = 0.5}), initial());
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->activity, Activity::kStopped);
}

}  // namespace
}  // namespace stitch::agents
