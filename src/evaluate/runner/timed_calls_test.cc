// SPDX-License-Identifier: Apache-2.0
// Timing through keeper and worker, on every device that programs are timed on: what is filled, called, judged and
// refused. How long it takes is not asked here: a loaded machine may take any time.
#include <gtest/gtest.h>

#include "evaluate/runner/timed_program_fixture.h"

namespace stitch::evaluate {
namespace {

class TimedBlocksTest : public TimedProgramTest {
 protected:
  void SetUp() override {
    TimedProgramTest::SetUp();
    for (int i = 0; i < 3 && !IsSkipped() && !HasFatalFailure(); ++i) {
      x[0] = static_cast<float>(1000 * i + 7);
      add_draw();
    }
  }
};

TEST_P(TimedBlocksTest, EveryTimedCallIsJudged) {
  for (const bool graph : {false, true}) {
    timing.graph = graph;
    const TimingOutcome outcome = time("good");
    ASSERT_EQ(outcome.ending, Ending::kOk) << outcome.message;
    const Timing& told = outcome.timing;
    EXPECT_GT(told.calls_per_block, 0);
    EXPECT_GE(told.calls_judged, 5 * told.calls_per_block);
    EXPECT_GE(told.sets, 2);
    EXPECT_GT(told.evicted_bytes, 0u);
    // Either a time or a reason why there is none.
    EXPECT_TRUE(told.median_us > 0 || !told.refusal.empty());
    for (const double sample : told.samples_us) {
      EXPECT_GT(sample, 0.0);
    }
  }
}

TEST_P(TimedBlocksTest, TheSetsOutgrowTheCacheFourTimes) {
  const TimingOutcome outcome = time("good");
  ASSERT_EQ(outcome.ending, Ending::kOk) << outcome.message;
  if (is_emulated()) {
    constexpr int64_t kSetBytes = 3 * kCount * 4 + 8;
    EXPECT_GT(outcome.timing.sets * kSetBytes, 4 << 15);
    EXPECT_GT(outcome.timing.evicted_bytes, uint64_t{2} << 15);
  }
}

TEST_P(TimedBlocksTest, ACallThatIsNotRightIsFoundAmongTimedOnes) {
  timing.blocks = 40;  // on a loaded machine each is a single call
  expect_refused("works_nine_times", "a timed call was not right: ");
  expect_refused("every_second_call", "a timed call was not right: sum is another one");
}

TEST_P(TimedBlocksTest, AnAnswerKeptByAddressIsFound) {
  timing.blocks = 40;
  timing.l2_bytes = is_emulated() ? 1 : 0;  // two sets: addresses come again soon
  // The sum of other contents, or by chance the right sum, but then the state that the call did not count on.
  expect_refused("keyed_by_address", " is another one than that of an untimed call on the same data");
}

// The worker waits for the whole device, not for the stream that its events are on; on a GPU it also sees that nobody
// joins the other one.
TEST_P(TimedBlocksTest, WorkOnAnotherStreamIsWaitedFor) {
  const TimingOutcome outcome = time("another_stream");
  if (!is_emulated()) {
    EXPECT_EQ(outcome.ending, Ending::kRefused);
    EXPECT_NE(outcome.message.find("must be joined to it by an event"), std::string::npos) << outcome.message;
    return;
  }
  EXPECT_EQ(outcome.ending, Ending::kOk) << outcome.message;
  EXPECT_GE(outcome.timing.calls_judged, 5);
}

TEST_P(TimedBlocksTest, WhoGoesOnWritingIsFound) {
  const TimingOutcome outcome = time("writes_late");
  EXPECT_EQ(outcome.ending, Ending::kTampered) << outcome.message;
}

TEST_P(TimedBlocksTest, AChangedInputIsFound) {
  expect_refused("writes_input_later", "the program changed its inputs");
}

TEST_P(TimedBlocksTest, ChangedPreparedMemoryIsFound) {
  expect_refused("writes_prepared_later", "the program changed its prepared memory");
}

// The judge of whoever knows the right answer has a word too, and is asked of each new answer.
TEST_P(TimedBlocksTest, TheJudgeIsAsked) {
  int asked = 0;
  for (TimedDraw& draw : subject.draws) {
    draw.judge = [&](const std::vector<HostTensor>& results) -> Result<std::optional<std::string>> {
      ++asked;
      EXPECT_EQ(results.size(), 2u);
      return asked > 2 ? std::optional<std::string>("the oracle says otherwise") : std::nullopt;
    };
  }
  expect_refused("good", "a timed call was not right: the oracle says otherwise");
  EXPECT_EQ(asked, 3);
}

TEST_P(TimedBlocksTest, ABaselineTakesTurns) {
  const auto outcome = time_against(*prepared("good"), *prepared("thrice"), subject, 3, timing);
  ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
  ASSERT_EQ(outcome->ending, Ending::kOk) << outcome->message;
  EXPECT_EQ(outcome->candidate_us.size(), 6u);
  EXPECT_EQ(outcome->baseline_us.size(), 6u);
  EXPECT_TRUE(outcome->speedup.median > 0 || !outcome->speedup.refusal.empty());
}

TEST_P(TimedBlocksTest, ACandidateThatCheatsAgainstABaselineIsFoundAndABaselineThatFailsIsAnError) {
  expect_found_in_turns("works_nine_times", 3);
}

INSTANTIATE_TEST_SUITE_P(Devices, TimedBlocksTest, testing::Values(DeviceKind::kEmulated, DeviceKind::kCuda),
                         [](const auto& info) { return std::string(to_string(info.param)); });

}  // namespace
}  // namespace stitch::evaluate
