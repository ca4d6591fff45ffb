// SPDX-License-Identifier: Apache-2.0
// The contract of ProgramRunner, on every device: what a program does, and how it must end.
#include "evaluate/runner/program_runner.h"

#include <fmt/format.h>

#include <thread>

#include "evaluate/runner/vector_program_fixture.h"
#include "sandbox/cage/cage.h"

namespace stitch::evaluate {
namespace {

class ProgramRunnerTest : public VectorProgramTest {};

TEST_P(ProgramRunnerTest, NewStatesMayLieWhereTheOldOnesDo) {
  const auto runner = start("good");
  ASSERT_TRUE(prepares(*runner));
  for (const bool in_place : {true, false, true}) {
    const auto ran = runner->run({.inputs = inputs, .states = states, .states_in_place = in_place});
    ASSERT_TRUE(ran.has_value()) << ran.error().message;
    expect_right(*ran);
  }
}

// The program is shown the old state where the new one is to be.
TEST_P(ProgramRunnerTest, AProgramThatDoesNothingLeavesTheOldStateInPlace) {
  const auto runner = start("does_nothing");
  ASSERT_TRUE(prepares(*runner));
  const auto ran = runner->run({.inputs = inputs, .states = states, .states_in_place = true});
  ASSERT_TRUE(ran.has_value()) << ran.error().message;
  ASSERT_EQ(ran->ending, Ending::kOk) << ran->message;
  EXPECT_EQ(values_of(ran->states[0]), values_of(states[0]));
}

TEST_P(ProgramRunnerTest, AGoodProgramAnswersAgainAndAgain) {
  const auto runner = start("good");
  expect_right(outcome_of(*runner));
  ASSERT_TRUE(runner->description().has_value());
  EXPECT_EQ(runner->description()->name, "vector");
  EXPECT_EQ(runner->description()->parameters.at(0).spec.name, "scale");
  EXPECT_EQ(runner->description()->states_out.at(0).alias_of, 0);
  x[5] = -3.0f;
  inputs[0] = tensor("x", x);
  const auto again = runner->run({.inputs = inputs, .states = states, .rng_seed = 7, .schedule_seed = 12345});
  ASSERT_TRUE(again.has_value());
  expect_right(*again);
  scale[1] = 9.0f;
  parameters[0] = tensor("scale", scale);
  expect_right(outcome_of(*runner));
}

TEST_P(ProgramRunnerTest, AProgramWhoseMemoryWasTakenBackAnswersAgain) {
  const auto runner = start("good");
  expect_right(outcome_of(*runner));
  for (int i = 0; i < 2; ++i) {  // the second time there is none
    const auto rested = runner->rest();
    ASSERT_TRUE(rested.has_value()) << rested.error().message;
    EXPECT_EQ(rested->ending, Ending::kOk) << rested->message;
  }
  const auto again = runner->run({.inputs = inputs, .states = states});  // as prepared before
  ASSERT_TRUE(again.has_value()) << again.error().message;
  expect_right(*again);
}

TEST_P(ProgramRunnerTest, AWrongAnswerPassesThrough) {
  const CandidateOutcome outcome = outcome_of("wrong");
  ASSERT_EQ(outcome.ending, Ending::kOk) << outcome.message;
  EXPECT_EQ(values_of(outcome.outputs.at(0))[9], x[9] - y[9]);
}

// Random bytes, or now and then what the call before left: never something that the supervisor knows to be right.
TEST_P(ProgramRunnerTest, UntouchedOutputsAreRandomMostTimes) {
  const auto runner = start("does_nothing");
  int changes = 0;
  std::vector<std::byte> before;
  for (int i = 0; i < 48; ++i) {
    const CandidateOutcome outcome = outcome_of(*runner);
    ASSERT_EQ(outcome.ending, Ending::kOk);
    const auto bytes = outcome.outputs.at(0).bytes();
    changes += std::equal(before.begin(), before.end(), bytes.begin(), bytes.end()) ? 0 : 1;
    before.assign(bytes.begin(), bytes.end());
  }
  EXPECT_GE(changes, 16);
  EXPECT_LT(changes, 48);
}

// By chance a tensor lies where it lay, or elsewhere: a program that keeps an address, or an answer by it, is found
// out.
TEST_P(ProgramRunnerTest, TensorsMoveFromCallToCall) {
  if (GetParam() == DeviceKind::kChecked) {
    GTEST_SKIP() << "the checked worker shows the program copies of its own";
  }
  const auto runner = start("tells_addresses");
  int moves = 0;
  float before = -1.0f;
  for (int i = 0; i < 48; ++i) {
    const CandidateOutcome outcome = outcome_of(*runner);
    ASSERT_EQ(outcome.ending, Ending::kOk) << outcome.message;
    const std::vector<float> told = values_of(outcome.outputs.at(0));
    EXPECT_EQ(static_cast<int>(told[0]) % 16, 0);
    moves += told[0] == before ? 0 : 1;
    before = told[0];
  }
  EXPECT_GE(moves, 8);
  EXPECT_LE(moves, 44);
}

TEST_P(ProgramRunnerTest, AWriteBesideAnOutputIsTampering) {
  const CandidateOutcome outcome = outcome_of("writes_beside");
  if (GetParam() == DeviceKind::kChecked) {
    EXPECT_EQ(outcome.ending, Ending::kCrashed);
    return;
  }
  EXPECT_EQ(outcome.ending, Ending::kTampered);
  EXPECT_EQ(outcome.message, "the program wrote outside of its outputs");
}

TEST_P(ProgramRunnerTest, AWriteAfterTheCallIsTampering) {
  if (GetParam() != DeviceKind::kEmulated) {
    GTEST_SKIP() << "a thread of the host can write into the emulated device's memory only";
  }
  const CandidateOutcome outcome = outcome_of("writes_late");
  EXPECT_EQ(outcome.ending, Ending::kTampered);
  EXPECT_EQ(outcome.message, "the program went on writing into its outputs after the call had ended");
}

TEST_P(ProgramRunnerTest, ANullPointerIsACrash) {
  const CandidateOutcome outcome = outcome_of("null_pointer");
  EXPECT_EQ(outcome.ending, Ending::kCrashed);
  EXPECT_FALSE(outcome.message.empty());
}

TEST_P(ProgramRunnerTest, AfterACrashTheNextCallFindsAFreshWorker) {
  const auto runner = start("null_pointer");
  EXPECT_EQ(outcome_of(*runner).ending, Ending::kCrashed);
  const auto again = runner->run({.inputs = inputs, .states = states});  // prepares anew by itself
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(again->ending, Ending::kCrashed);
}

TEST_P(ProgramRunnerTest, AnEndlessLoopIsEnded) {
  options.timeout_ms = GetParam() == DeviceKind::kCuda ? 20000 : 1000;
  const CandidateOutcome outcome = outcome_of("endless");
  EXPECT_EQ(outcome.ending, Ending::kTimedOut);
  EXPECT_NE(outcome.message.find("did not end within"), std::string::npos) << outcome.message;
}

// Each process of the candidate spends of the same time, and when it is over none is asked any more.
TEST_P(ProgramRunnerTest, AllCallsTogetherHaveATime) {
  options.timeout_ms = 60000;
  options.budget = std::make_shared<CallBudget>(GetParam() == DeviceKind::kCuda ? 20000 : 1000);
  const std::string said = fmt::format("all calls of the program together did not end within {:.1f} s",
                                       static_cast<double>(options.budget->total_ms()) / 1000);
  const CandidateOutcome outcome = outcome_of("endless");
  EXPECT_EQ(outcome.ending, Ending::kTimedOut);
  EXPECT_EQ(outcome.message, said);
  EXPECT_EQ(options.budget->left_ms(), 0);
  const CandidateOutcome another = outcome_of("good");
  EXPECT_EQ(another.ending, Ending::kTimedOut);
  EXPECT_EQ(another.message, said);
}

TEST_P(ProgramRunnerTest, QuickCallsSpendLittleOfTheirTime) {
  options.budget = std::make_shared<CallBudget>(600000);
  const auto runner = start("good");
  expect_right(outcome_of(*runner));
  const int64_t left_ms = options.budget->left_ms();
  EXPECT_LT(left_ms, 600000);
  EXPECT_GT(left_ms, 300000);
  for (int i = 0; i < 30; ++i) {
    expect_right(outcome_of(*runner));
  }
  EXPECT_LT(options.budget->left_ms(), left_ms);
}

// As many as spin would share the processors with whoever judges.
TEST_P(ProgramRunnerTest, ThreadsThatStayAreNotMany) {
  if (GetParam() == DeviceKind::kCuda) {
    GTEST_SKIP() << "CUDA's driver has threads of its own";
  }
  const Result<sandbox::Layers> layers = sandbox::machine_layers();
  ASSERT_TRUE(layers.has_value()) << layers.error().message;
  if (!layers->has(sandbox::Layer::kProcesses) || !layers->has(sandbox::Layer::kUser)) {
    GTEST_SKIP() << "the limit of processes holds for all of this user's, or for none";
  }
  const CandidateOutcome outcome = outcome_of("threads_without_end");
  ASSERT_EQ(outcome.ending, Ending::kOk) << outcome.message;
  const float started = values_of(outcome.outputs.at(0))[0];
  EXPECT_GE(started, 100.0f);
  EXPECT_LE(started, static_cast<float>(std::max(128U, 2 * std::thread::hardware_concurrency())));
}

TEST_P(ProgramRunnerTest, TheCheckedDeviceSeesOneElementTooMany) {
  const CandidateOutcome outcome = outcome_of("overrun");
  if (GetParam() != DeviceKind::kChecked) {
    EXPECT_EQ(outcome.ending, Ending::kTampered) << outcome.message;  // it is there, but nobody knows the line
    return;
  }
  EXPECT_EQ(outcome.ending, Ending::kCrashed);
  EXPECT_NE(outcome.message.find("program.cu:8"), std::string::npos) << outcome.message;
  EXPECT_NE(outcome.message.find("heap-buffer-overflow"), std::string::npos) << outcome.message;
}

TEST_P(ProgramRunnerTest, AWriteToAnInputIsTampering) {
  const CandidateOutcome outcome = outcome_of("writes_input");
  EXPECT_EQ(outcome.ending, Ending::kTampered);
  EXPECT_EQ(outcome.message, "the program changed its input x");
}

TEST_P(ProgramRunnerTest, AWriteToPreparedMemoryIsTampering) {
  const CandidateOutcome outcome = outcome_of("writes_prepared");
  EXPECT_EQ(outcome.ending, Ending::kTampered);
  EXPECT_EQ(outcome.message, "the program changed its prepared memory");
}

TEST_P(ProgramRunnerTest, AnExitIsACrash) {
  const CandidateOutcome outcome = outcome_of("exits");
  EXPECT_EQ(outcome.ending, Ending::kCrashed);
  EXPECT_NE(outcome.message.find("ended its process with status 0"), std::string::npos) << outcome.message;
}

TEST_P(ProgramRunnerTest, MuchPrintingIsNoHarm) { expect_right(outcome_of("prints")); }

TEST_P(ProgramRunnerTest, GarbageInTheChannelIsTampering) {
  const CandidateOutcome outcome = outcome_of("floods_descriptors");
  EXPECT_EQ(outcome.ending, Ending::kTampered);
}

TEST_P(ProgramRunnerTest, TooMuchMemoryIsACrash) {
  options.memory_bytes = uint64_t{2} << 30;
  const CandidateOutcome outcome = outcome_of("hungry");
  EXPECT_EQ(outcome.ending, Ending::kCrashed) << outcome.message;
}

// Filled with random bytes it would end the keeper, and with it the verdict.
TEST_P(ProgramRunnerTest, AWorkspaceLargerThanTheMachineIsRefused) {
  if (GetParam() != DeviceKind::kChecked) {  // whose addresses nobody limits
    GTEST_SKIP() << "a GPU's memory is a limit by itself";
  }
  options.memory_bytes = uint64_t{1} << 50;
  const CandidateOutcome outcome = outcome_of("wants_what_nobody_has");
  EXPECT_EQ(outcome.ending, Ending::kRefused);
  EXPECT_TRUE(outcome.message.starts_with("the program wants 1099511")) << outcome.message;
}

TEST_P(ProgramRunnerTest, AnErrorOfTheProgramIsPassedOn) {
  const CandidateOutcome outcome = outcome_of("fails");
  EXPECT_EQ(outcome.ending, Ending::kCrashed);
  EXPECT_EQ(outcome.message, "run() answered 3 (CUDA error): vector program: a launch failed");
}

TEST_P(ProgramRunnerTest, ACrashWhileLoadingIsACrash) {
  const CandidateOutcome outcome = outcome_of("crashes_on_load");
  EXPECT_EQ(outcome.ending, Ending::kCrashed) << outcome.message;
}

TEST_P(ProgramRunnerTest, ProcessesItStartedEndWithIt) {
  outcome_of("forks");  // TearDown looks for what is left
}

TEST_P(ProgramRunnerTest, OtherTensorsThanItTakesAreRefused) {
  const auto runner = start("good");
  inputs.pop_back();
  EXPECT_EQ(outcome_of(*runner).ending, Ending::kRefused);
  inputs.push_back(tensor("y", {1.0f}));
  const CandidateOutcome outcome = outcome_of(*runner);
  EXPECT_EQ(outcome.ending, Ending::kRefused);
  EXPECT_EQ(outcome.message, "the program declares y as float32[1000], not as float32[1]");
}

// A program that says otherwise must not make the supervisor look for memory that nobody gave it.
TEST_P(ProgramRunnerTest, NothingButAnInputCanBeLeftOut) {
  const std::vector<TensorType> results = {inputs[0].spec().type, states[0].spec().type};
  const auto refused = [&](const std::string& program) {
    const auto runner = start(program);
    const auto prepared = runner->prepare(parameters);
    if (prepared.has_value() && prepared->ending != Ending::kOk) {
      return prepared->message;
    }
    const auto ran = runner->run({.inputs = inputs, .states = states, .results = results});
    return ran.has_value() ? ran->message : ran.error().message;
  };
  EXPECT_EQ(refused("parameter_left_out"), "the program has 2 parameters and constants, not 1");
  EXPECT_EQ(refused("state_left_out"), "the program has 2 new states, not 1");
  EXPECT_EQ(refused("output_left_out"), "the program has 1 new states, not 0");
}

TEST_P(ProgramRunnerTest, AStateOfAnotherTypeTakesNoOldStatesPlace) {
  const auto runner = start("larger_state_of_that_name");
  ASSERT_TRUE(prepares(*runner));
  states.push_back(states[0]);
  const std::vector<TensorType> results(3, inputs[0].spec().type);
  const auto ran = runner->run({.inputs = inputs, .states = states, .results = results, .states_in_place = true});
  ASSERT_TRUE(ran.has_value()) << ran.error().message;
  EXPECT_EQ(ran->ending, Ending::kOk) << ran->message;
}

TEST_P(ProgramRunnerTest, ARunTimeAxisTakesOtherExtentsOneAfterAnother) {
  const auto runner = start("shorter");
  ASSERT_EQ(outcome_of(*runner).ending, Ending::kOk);
  for (const size_t count : {size_t{1}, size_t{257}, size_t{1000}, size_t{3}}) {
    inputs = {tensor("x", {x.begin(), x.begin() + static_cast<int64_t>(count)}),
              tensor("y", {y.begin(), y.begin() + static_cast<int64_t>(count)})};
    const std::vector<TensorType> results = {inputs[0].spec().type, states[0].spec().type};
    const auto ran = runner->run({.inputs = inputs, .states = states, .results = results});
    ASSERT_TRUE(ran.has_value()) << ran.error().message;
    ASSERT_EQ(ran->ending, Ending::kOk) << ran->message;
    const std::vector<float> sum = values_of(ran->outputs.at(0));
    ASSERT_EQ(sum.size(), count);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(sum[i], x[i] + y[i] * scale[i]);
    }
  }
}

TEST_P(ProgramRunnerTest, ARunTimeAxisHasARange) {
  const auto runner = start("shorter");
  std::vector<float> longer(kCount + 1, 1.0f);
  inputs = {tensor("x", longer), tensor("y", longer)};
  const CandidateOutcome outcome = outcome_of(*runner);
  EXPECT_EQ(outcome.ending, Ending::kRefused);
  EXPECT_EQ(outcome.message, "the program declares x as float32[1000], not as float32[1001]");
  inputs = {tensor("x", {1.0f, 2.0f}), tensor("y", {1.0f, 2.0f})};
  const std::vector<TensorType> results = {tensor("sum", longer).spec().type, states[0].spec().type};
  const auto ran = runner->run({.inputs = inputs, .states = states, .results = results});
  ASSERT_TRUE(ran.has_value());
  EXPECT_EQ(ran->ending, Ending::kRefused) << ran->message;
}

TEST_P(ProgramRunnerTest, AFileThatIsNoProgramIsRefused) {
  options.binary = {GetParam(), "/etc/passwd"};
  auto runner = ProgramRunner::start(options);
  ASSERT_TRUE(runner.has_value());
  EXPECT_EQ(outcome_of(**runner).ending, Ending::kRefused);
}

INSTANTIATE_TEST_SUITE_P(Devices, ProgramRunnerTest,
                         testing::Values(DeviceKind::kEmulated, DeviceKind::kChecked, DeviceKind::kCuda),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST(TimingTest, MedianAndSpread) {
  const Timing timing = summarise({3.0, 1.0, 2.0, 100.0}, 7);
  EXPECT_EQ(timing.median_us, 2.5);
  EXPECT_NEAR(timing.spread, 1.0 / 2.5, 1e-12);
  EXPECT_EQ(timing.calls_per_block, 7);
}

}  // namespace
}  // namespace stitch::evaluate
