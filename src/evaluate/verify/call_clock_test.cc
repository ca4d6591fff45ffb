// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/call_clock.h"

#include <gtest/gtest.h>

#include <thread>

namespace stitch::evaluate {
namespace {

// Its process has had as many seconds as the test says.
class Scripted final : public Candidate {
 public:
  Result<CandidateOutcome> prepare(std::span<const HostTensor>) override { return CandidateOutcome{}; }
  Result<CandidateOutcome> run(const CandidateCall&) override { return CandidateOutcome{}; }
  std::optional<double> processor_seconds() const override { return seconds; }
  std::optional<double> seconds = 5.0;
};

constexpr std::chrono::milliseconds kHeldUp{60};

TEST(CallClock, LeavesOutWhatOthersTook) {
  Scripted candidate;
  const CallClock clock(candidate);
  candidate.seconds = 5.002;
  std::this_thread::sleep_for(kHeldUp);
  EXPECT_GE(clock.seconds(), 0.002);
  EXPECT_LT(clock.seconds(), 0.05);
}

TEST(CallClock, IsTheClockWhereNothingElseIsKnown) {
  Scripted candidate;
  for (const auto& [before, after] : {std::pair<std::optional<double>, std::optional<double>>{{}, {}},
                                      {5.0, std::nullopt},
                                      {5.0, 1.0},      // another process
                                      {5.0, 5.0}}) {  // a kernel that does not tell
    candidate.seconds = before;
    const CallClock clock(candidate);
    candidate.seconds = after;
    std::this_thread::sleep_for(kHeldUp);
    EXPECT_GE(clock.seconds(), 0.06);
  }
}

TEST(CallClock, IsNeverMoreThanWhatPassed) {
  Scripted candidate;
  const CallClock clock(candidate);
  candidate.seconds = 1000.0;
  EXPECT_LT(clock.seconds(), 100.0);
}

}  // namespace
}  // namespace stitch::evaluate
