// SPDX-License-Identifier: Apache-2.0
// Timed calls on contents of their own, mixed of two draws: that no two are alike, who judges them, and that honest
// programs pass.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "evaluate/runner/timed_program_fixture.h"

namespace stitch::evaluate {
namespace {

class TimedContentsTest : public TimedProgramTest {
 protected:
  void SetUp() override {
    TimedProgramTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    std::mt19937 random(7);
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    for (int i = 0; i < 3; ++i) {
      for (float& value : x) {
        value = uniform(random);
      }
      add_draw();
    }
    subject.mixing = Mixing{.widths = {4, 0, 4}, .judged = 5, .judge = {}};
    subject.mixing->judge = [this](const auto& given, const auto& old_states, const auto& results) {
      return judge(given, old_states, results);
    };
  }

  // What the program is to compute.
  Result<SaidOfCall> judge(const std::vector<HostTensor>& given, const std::vector<HostTensor>& old_states,
                           const std::vector<HostTensor>& results) {
    ++asked;
    const std::vector<float> given_x = values_of(given.at(0));
    const std::vector<float> given_y = values_of(given.at(1));
    const std::vector<float> sum = values_of(results.at(0));
    first_elements.insert({given_x[0], given_x[1], given_x[2]});
    SaidOfCall said;
    for (size_t i = 0; i < sum.size(); ++i) {
      if (!(std::abs(sum[i] - (given_x[i] + given_y[i] * scale[i])) <= 1e-4f)) {
        said.wrong = "the reference says otherwise";
      }
    }
    EXPECT_EQ(given_y, y) << "what may not be mixed comes whole";
    if (values_of(results.at(1))[0] != values_of(old_states.at(0))[0] + 1.0f) {
      said.wrong = "the reference counts otherwise";
    }
    return said;
  }

  void expect_honest(const std::string& program) {
    const TimingOutcome outcome = time(program);
    ASSERT_EQ(outcome.ending, Ending::kOk) << program << ": " << outcome.message;
    EXPECT_TRUE(outcome.timing.is_mixed);
    EXPECT_GE(outcome.timing.calls_judged, 5 * outcome.timing.calls_per_block);
  }

  int asked = 0;
  std::set<std::vector<float>> first_elements;  // of the contents that the reference was asked about
};

TEST_P(TimedContentsTest, HonestProgramsPassAndAFewCallsAreComparedWithTheReference) {
  for (const bool graph : {false, true}) {
    timing.graph = graph;
    asked = 0;
    expect_honest("good");
    EXPECT_EQ(asked, 5);
  }
  EXPECT_GE(first_elements.size(), 3u) << "the reference is asked about contents that differ";
}

TEST_P(TimedContentsTest, SumsInAnotherOrderAreHonest) { expect_honest("sums_in_another_order"); }

// The reference has the word where the same call on the same contents gives something else.
TEST_P(TimedContentsTest, WhereTwoCallsDifferTheReferenceDecides) {
  subject.mixing->judge = [this](const auto&, const auto&, const auto&) -> Result<SaidOfCall> {
    ++asked;
    return SaidOfCall{};
  };
  expect_honest("second_sight");
  EXPECT_GT(asked, 5) << "each difference, and the calls chosen at the end";
}

TEST_P(TimedContentsTest, NoTwoTimedCallsHaveTheSameContents) {
  timing.blocks = 20;
  expect_honest("third_sight");
  expect_honest("keyed_by_contents");
}

// The same program is found out where few contents can be mixed: it does tell what it has seen.
TEST_P(TimedContentsTest, ContentsThatComeAgainAreTold) {
  subject.mixing->widths = {0, 0, 4};  // nine contents in all, since the state has one element
  subject.mixing->judged = 12;
  timing.blocks = 40;
  expect_refused("third_sight", "a timed call was not right: ");
}

TEST_P(TimedContentsTest, ATimedCallThatIsRightOnlyWhenMadeAgainIsFound) {
  expect_refused("second_sight", "a timed call was not right: sum is another one than that of an untimed call");
}

TEST_P(TimedContentsTest, TheSameGarbageTwiceIsFoundByTheReference) {
  timing.blocks = 60;
  subject.mixing->judged = 12;
  expect_refused("garbage_for_unseen", "a timed call was not right: the reference says otherwise");
}

TEST_P(TimedContentsTest, AReferenceThatSaysNothingRefusesNothing) {
  subject.mixing->judge = [](const auto&, const auto&, const auto&) -> Result<SaidOfCall> {
    return SaidOfCall{.is_said = false, .wrong = "nobody reads this"};
  };
  expect_honest("good");
  expect_refused("second_sight", "a timed call was not right: sum is another one");
}

TEST_P(TimedContentsTest, WhatIsLookedAtAfterwardsIsLookedAtHereToo) {
  timing.blocks = 40;
  expect_refused("writes_input_later", "the program changed its inputs");
  expect_refused("writes_prepared_later", "the program changed its prepared memory");
  EXPECT_EQ(time("writes_late").ending, Ending::kTampered);
  expect_refused("works_nine_times", "a timed call was not right: ");
}

TEST_P(TimedContentsTest, TheWorkspaceIsPoisonedBeforeEachBurst) {
  expect_honest("reads_old_workspace");
  subject.mixing.reset();
  EXPECT_EQ(time("reads_old_workspace").ending, Ending::kOk);
}

TEST_P(TimedContentsTest, OneDrawAndTimesThatOnlyRankAreNotMixed) {
  timing.judges_calls = false;
  const Timing ranking = time("good").timing;
  EXPECT_FALSE(ranking.is_mixed);
  EXPECT_EQ(ranking.calls_judged, 0);
  EXPECT_GT(ranking.median_us, 0);
  timing.graph = true;
  EXPECT_EQ(time("plans_at_its_first_call").ending, Ending::kOk);
  timing.graph = false;
  timing.judges_calls = true;
  subject.draws.resize(1);
  const TimingOutcome outcome = time("good");
  EXPECT_EQ(outcome.ending, Ending::kOk) << outcome.message;
  EXPECT_FALSE(outcome.timing.is_mixed);
  EXPECT_EQ(asked, 0);
}

TEST_P(TimedContentsTest, BothThatTakeTurnsAreJudgedAtTheEnd) {
  const auto outcome = time_against(*prepared("good"), *prepared("good"), subject, 3, timing);
  ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
  EXPECT_EQ(outcome->ending, Ending::kOk) << outcome->message;
  EXPECT_TRUE(outcome->is_mixed);
  EXPECT_EQ(asked, 10);
  expect_found_in_turns("garbage_for_unseen", 20);
}

INSTANTIATE_TEST_SUITE_P(Devices, TimedContentsTest, testing::Values(DeviceKind::kEmulated, DeviceKind::kCuda),
                         [](const auto& info) { return std::string(to_string(info.param)); });

}  // namespace
}  // namespace stitch::evaluate
