// SPDX-License-Identifier: Apache-2.0
// For tests alone: the programs of VectorProgramTest, timed on three draws.
#pragma once

#include <string>

#include "evaluate/runner/time_against.h"
#include "evaluate/runner/vector_program_fixture.h"

namespace stitch::evaluate {

class TimedProgramTest : public VectorProgramTest {
 protected:
  void SetUp() override {
    VectorProgramTest::SetUp();
    timing.block_us = 500;
    timing.blocks = 5;
    timing.tries = 1;
    timing.l2_bytes = is_emulated() ? 1 << 15 : 0;  // a ring of a few sets
  }

  // Of what x holds now; the state of each is another.
  void add_draw() {
    const auto calls = 41.0f + 9.0f * static_cast<float>(subject.draws.size());
    subject.draws.push_back({.inputs = {tensor("x", x), tensor("y", y)}, .states = {tensor("calls", {calls})}});
  }

  std::unique_ptr<ProgramRunner> prepared(const std::string& program) {
    auto runner = start(program);
    const auto outcome = runner->prepare(parameters);
    EXPECT_TRUE(outcome.has_value() && outcome->ending == Ending::kOk) << program;
    return runner;
  }

  TimingOutcome time(const std::string& program) {
    const auto outcome = prepared(program)->time_blocks(subject, timing);
    EXPECT_TRUE(outcome.has_value()) << (outcome.has_value() ? "" : outcome.error().message);
    return outcome.has_value() ? *outcome : TimingOutcome{};
  }

  void expect_refused(const std::string& program, const std::string& message) {
    const TimingOutcome outcome = time(program);
    EXPECT_EQ(outcome.ending, Ending::kTampered) << program;
    EXPECT_NE(outcome.message.find(message), std::string::npos) << program << ": " << outcome.message;
  }

  // In turns with a good program: as the candidate it is refused, as the baseline it ends in an error.
  void expect_found_in_turns(const std::string& program, int rounds) {
    const auto found = time_against(*prepared(program), *prepared("good"), subject, rounds, timing);
    ASSERT_TRUE(found.has_value()) << found.error().message;
    EXPECT_EQ(found->ending, Ending::kTampered);
    EXPECT_FALSE(time_against(*prepared("good"), *prepared(program), subject, rounds, timing).has_value());
  }

  TimedSubject subject;
  TimingOptions timing;
};

}  // namespace stitch::evaluate
