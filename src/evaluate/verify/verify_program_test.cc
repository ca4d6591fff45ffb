// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/verify_program.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/json/json.h"
#include "verify/compare/elements.h"
#include "verify/compare/test_tensors.h"
#include "verify/oracle/scripted_oracle.h"

namespace stitch::evaluate {
namespace {

using verify::float_reference;
using verify::float_tensor;
using verify::OracleDraw;
using verify::OracleProgram;
using verify::OracleSource;

constexpr int64_t kElements = 512;
constexpr double kEpsilon = 0x1p-23;

// y = 2 x, with x depending on regime and draw. The regime "chaotic" moves by far more than its inputs.
class DoublingOracle {
 public:
  verify::ScriptedOracle make() {
    return {[this](const OracleSource&) {
              OracleProgram program;
              program.regimes = regimes;
              program.gate_ok = gate_ok;
              return Result<OracleProgram>(program);
            },
            [this](const OracleProgram&, const std::string& regime, int draw) { return answer(regime, draw); }};
  }

  std::vector<std::string> regimes{"as_given", "signed_scaled", "near_equal", "sparse_extreme"};
  std::string chaotic;
  std::string dropped;
  std::string failing;
  bool gate_ok = true;
  bool has_state = false;

 private:
  Result<OracleDraw> answer(const std::string& regime, int draw) const {
    OracleDraw result;
    if (regime == failing) {
      return failure(ErrorCode::kEnvironment, "the oracle died");
    }
    if (regime == dropped) {
      result.dropped = "the reference raises";
      return result;
    }
    const double x = 1.0 + draw + 8.0 * static_cast<double>(regime.size());
    const std::vector<double> truth(kElements, 2 * x);
    auto reference = float_reference({kElements}, truth, truth);
    const std::vector<double> moved(kElements, 2 * x * (regime == chaotic ? 1.5 : 1.0));
    reference.perturbed = {float_tensor({kElements}, moved), float_tensor({kElements}, moved)};
    result.inputs = {float_tensor({kElements}, std::vector<double>(kElements, x))};
    result.outputs = {reference};
    if (has_state) {
      result.states = {float_tensor({1}, {1.0})};
    }
    return result;
  }
};

class DoublingCandidate final : public Candidate {
 public:
  struct Fault {
    int at_run = -1;
    Ending ending = Ending::kOk;  // kOk: a wrong last element
    bool only_randomised = false;
    bool only_in_place = false;
    bool forgets_an_output = false;
    CallTrial right_up_to = CallTrial::kApart;  // in trials beyond it, it gives zeros
    Ending at_destroy = Ending::kOk;
    std::shared_ptr<LaunchLedger> launches{};  // where it lists two kernels
    size_t idle_kernel = 2;                    // of these, the one that it does not need
  };
  explicit DoublingCandidate(Fault fault) : fault_(fault) {}

  Result<CandidateOutcome> prepare(std::span<const HostTensor>) override { return CandidateOutcome{}; }
  Result<CandidateOutcome> run(const CandidateCall& call) override {
    std::vector<double> values(kElements);
    verify::load_doubles(call.inputs[0], 0, kElements, values.data());
    for (double& value : values) {
      value *= 2;
    }
    CandidateOutcome outcome;
    const bool faulty = fault_.only_randomised ? call.schedule_seed != 0
                        : fault_.only_in_place ? call.states_in_place
                                               : runs_ == fault_.at_run;
    ++runs_;
    if (faulty && fault_.ending != Ending::kOk) {
      outcome.ending = fault_.ending;
      outcome.message = "signal 11";
      return outcome;
    }
    if (faulty) {
      values.back() *= 1 + 16 * kEpsilon;
    }
    if (fault_.launches != nullptr && runs_wholly(call.trial)) {
      std::vector<LaunchRecord> both(2);
      both[0].name = "product";
      both[1].name = "other";
      both[0].line = both[1].line = 3;
      both[0].threads = both[1].threads = 32;
      fault_.launches->keep(both);
    }
    const bool lacks_work =
        call.trial == CallTrial::kWithoutOne ? call.left_out != fault_.idle_kernel : call.trial > fault_.right_up_to;
    if (lacks_work) {
      values.assign(kElements, 0);
    }
    if (!fault_.forgets_an_output) {
      outcome.outputs = {float_tensor({kElements}, values)};
    }
    return outcome;
  }
  Result<CandidateOutcome> destroy() override {
    CandidateOutcome outcome;
    outcome.ending = fault_.at_destroy;
    outcome.message = "signal 11";
    return outcome;
  }

 private:
  Fault fault_;
  int runs_ = 0;
};

VerifyRequest two_subjects() {
  VerifyRequest request;
  request.seed = 6;
  VerifySubject declared;
  declared.shape = "declared shapes";
  declared.checked = CandidateBinary{DeviceKind::kChecked, "checked.so"};
  VerifySubject hidden;
  hidden.shape = "hidden shape 1";
  hidden.regimes = {"as_given", "near_equal"};
  hidden.draws_per_regime = kDrawsPerRegimeHidden;
  request.subjects = {declared, hidden};
  return request;
}

Result<VerifyReport> verify_with(DoublingOracle script, DoublingCandidate::Fault fault,
                                 DeviceKind faulty_device = DeviceKind::kEmulated) {
  auto oracle = script.make();
  return verify_program(two_subjects(), oracle, [&](const CandidateBinary& binary) {
    const auto own = binary.device == faulty_device ? fault : DoublingCandidate::Fault{};
    return Result<std::unique_ptr<Candidate>>(std::make_unique<DoublingCandidate>(own));
  });
}

TEST(VerifyProgram, ARightProgramIsAcceptedAfterAllDraws) {
  const auto report = verify_with({}, {});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->verdict().kind, VerdictKind::kOk) << report->verdict().reason;
  EXPECT_EQ(report->draws, 5 * 4 + 1 + 2);
  EXPECT_EQ(report->checked_draws, 1);
  EXPECT_EQ(report->randomised_draws, 2);
  EXPECT_EQ(report->shapes.size(), 2U);
  ASSERT_EQ(report->outputs.size(), 1U);
  EXPECT_EQ(report->outputs[0].elements, kElements * 23);
  EXPECT_EQ(report->outputs[0].max_error_ratio, 0);
  EXPECT_EQ(to_json(*report)["verdict"]["kind"], "ok");
  int64_t elements = 0;  // of each regime at each shape, which the whole sums up
  for (const RegimeErrors& line : report->regimes) {
    elements += line.output.elements;
  }
  EXPECT_EQ(elements, report->outputs[0].elements);
  ASSERT_GE(report->regimes.size(), 5U);
  EXPECT_EQ(to_json(*report)["regimes"][0]["regime"], "as_given");
  EXPECT_EQ(to_json(*report)["regimes"][0]["name"], report->outputs[0].name);
}

TEST(VerifyProgram, StatesAreWrittenInPlaceInSomeDraws) {
  DoublingOracle script;
  script.has_state = true;
  const auto right = verify_with(script, {});
  ASSERT_TRUE(right.has_value()) << right.error().message;
  EXPECT_EQ(right->verdict().kind, VerdictKind::kOk) << right->verdict().reason;
  EXPECT_EQ(right->in_place_draws, 4 * 2);
  DoublingCandidate::Fault fault;
  fault.only_in_place = true;
  const auto wrong = verify_with(script, fault);
  ASSERT_TRUE(wrong.has_value()) << wrong.error().message;
  EXPECT_EQ(wrong->verdict().kind, VerdictKind::kWrong);
  EXPECT_NE(wrong->verdict().reason.find("states in place"), std::string::npos) << wrong->verdict().reason;
  const auto stateless = verify_with({}, fault);
  ASSERT_TRUE(stateless.has_value()) << stateless.error().message;
  EXPECT_EQ(stateless->in_place_draws, 0);
}

Result<VerifyReport> verify_two_at_once(DoublingOracle script, DoublingCandidate::Fault fault) {
  auto oracle = script.make();
  VerifyRequest request = two_subjects();
  request.two_at_once = true;
  int started = 0;
  auto report = verify_program(request, oracle, [&](const CandidateBinary& binary) {
    const bool is_second = binary.device == DeviceKind::kEmulated && ++started == 2;
    const auto own = is_second ? fault : DoublingCandidate::Fault{};
    return Result<std::unique_ptr<Candidate>>(std::make_unique<DoublingCandidate>(own));
  });
  return report;
}

TEST(VerifyProgram, TwoDrawsAtOnceAreTheSameDraws) {
  const auto report = verify_two_at_once({}, {});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->verdict().kind, VerdictKind::kOk) << report->verdict().reason;
  EXPECT_EQ(report->draws, 5 * 4 + 1 + 2);
  EXPECT_EQ(report->checked_draws, 1);
  EXPECT_EQ(report->randomised_draws, 2);
  ASSERT_EQ(report->outputs.size(), 1U);
  EXPECT_EQ(report->outputs[0].elements, kElements * 23);
}

TEST(VerifyProgram, TheSecondWorkersDrawsAreJudgedToo) {
  // It has draws 0 and 2 of each regime; its fourth run is draw 2 of the second.
  DoublingCandidate::Fault fault;
  fault.at_run = 3;
  const auto wrong = verify_two_at_once({}, fault);
  ASSERT_TRUE(wrong.has_value()) << wrong.error().message;
  EXPECT_EQ(wrong->verdict().kind, VerdictKind::kWrong);
  EXPECT_NE(wrong->verdict().reason.find("(draw 2, regime signed_scaled, declared shapes)"), std::string::npos)
      << wrong->verdict().reason;
  fault.ending = Ending::kCrashed;
  const auto crashed = verify_two_at_once({}, fault);
  ASSERT_TRUE(crashed.has_value()) << crashed.error().message;
  EXPECT_EQ(crashed->verdict().kind, VerdictKind::kCrashed);
}

TEST(VerifyProgram, TwoDrawsAtOnceLeaveOutWhatOneWould) {
  DoublingOracle script;
  script.chaotic = "near_equal";
  const auto report = verify_two_at_once(script, {});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->verdict().kind, VerdictKind::kOk) << report->verdict().reason;
  EXPECT_FALSE(report->left_out.empty());
  DoublingOracle dropping;
  dropping.dropped = "near_equal";
  EXPECT_EQ(verify_two_at_once(dropping, {})->verdict().kind, VerdictKind::kOk);
  DoublingOracle failing;
  failing.failing = "near_equal";
  EXPECT_FALSE(verify_two_at_once(failing, {}).has_value());
}

TEST(VerifyProgram, ASubjectOnTheCheckedDeviceIsCountedAsChecked) {
  VerifyRequest request = two_subjects();
  request.subjects[0].checked.reset();
  request.subjects[1].binary = CandidateBinary{DeviceKind::kChecked, "reduced.so"};
  DoublingOracle script;
  auto oracle = script.make();
  const auto report = verify_program(request, oracle, [&](const CandidateBinary&) {
    return Result<std::unique_ptr<Candidate>>(std::make_unique<DoublingCandidate>(DoublingCandidate::Fault{}));
  });
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->checked_draws, 2);
  EXPECT_EQ(report->randomised_draws, 1);
  EXPECT_EQ(report->checked_shape, "hidden shape 1");
}

// Never answers while somebody waits.
class EndlessCandidate final : public Candidate {
 public:
  explicit EndlessCandidate(const CandidateBinary& binary) : is_unwanted_(binary.is_unwanted) {}
  Result<CandidateOutcome> prepare(std::span<const HostTensor>) override { return CandidateOutcome{}; }
  Result<CandidateOutcome> run(const CandidateCall&) override {
    while (!*is_unwanted_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    CandidateOutcome ended;
    ended.ending = Ending::kTimedOut;
    return ended;
  }

 private:
  std::shared_ptr<const std::atomic<bool>> is_unwanted_;
};

TEST(VerifyProgram, ARefusalOnAGpuDoesNotWaitForTheCheckedDrawBesideIt) {
  VerifyRequest request = two_subjects();
  request.subjects[0].checked.reset();
  request.subjects[0].binary.device = DeviceKind::kCuda;
  request.subjects.push_back(request.subjects[0]);
  request.subjects[2].same_binary = true;
  request.subjects[1].binary = CandidateBinary{DeviceKind::kChecked, "reduced.so"};
  request.subjects[1].regimes = {"as_given"};
  request.subjects[1].draws_per_regime = 1;
  DoublingOracle script;
  auto oracle = script.make();
  const auto report = verify_program(request, oracle, [&](const CandidateBinary& binary) {
    const DoublingCandidate::Fault wrong{.at_run = 4 * kDrawsPerRegime};
    return Result<std::unique_ptr<Candidate>>(
        binary.device == DeviceKind::kChecked ? std::unique_ptr<Candidate>(std::make_unique<EndlessCandidate>(binary))
                                              : std::make_unique<DoublingCandidate>(wrong));
  });
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->verdict().kind, VerdictKind::kWrong) << report->verdict().reason;
  EXPECT_EQ(report->checked_draws, 0);
  EXPECT_EQ(report->notes.at(0), "hidden shape 1: its draw was ended when the verdict was known");
}

TEST(VerifyProgram, OtherBatchesGoOnWithTheLoadedProgram) {
  VerifyRequest request = two_subjects();
  request.subjects[0].checked.reset();
  request.subjects[1].same_binary = true;
  DoublingOracle script;
  auto oracle = script.make();
  int started = 0;
  const auto start = [&](const CandidateBinary&) {
    ++started;
    return Result<std::unique_ptr<Candidate>>(std::make_unique<DoublingCandidate>(DoublingCandidate::Fault{}));
  };
  const auto report = verify_program(request, oracle, start);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(started, 1);
  EXPECT_EQ(report->same_binary_shapes, 1);
  EXPECT_EQ(report->shapes.size(), 2U);
  request.subjects[1].binary.library = "another.so";
  auto again = script.make();
  ASSERT_TRUE(verify_program(request, again, start).has_value());
  EXPECT_EQ(started, 3);
}

// A batch or a hidden shape that PyTorch itself refuses says nothing about the candidate; the declared sizes do.
TEST(VerifyProgram, SizesThatTheProgramRefusesAreLeftOutAndNamed) {
  for (const int refused : {0, 1}) {
    VerifyRequest request = two_subjects();
    request.subjects[0].source.task.file = "0";
    request.subjects[1].source.task.file = "1";
    DoublingOracle script;
    auto doubling = script.make();
    verify::ScriptedOracle oracle{
        [&](const OracleSource& source) {
          return source.task.file == std::to_string(refused)
                     ? Result<OracleProgram>(failure(ErrorCode::kProgramInvalid, "forward raised IndexError"))
                     : doubling.open(source);
        },
        [&](const OracleProgram& program, const std::string& regime, int draw) {
          return doubling.draw(program, regime, draw);
        }};
    const auto report = verify_program(request, oracle, [](const CandidateBinary&) {
      return Result<std::unique_ptr<Candidate>>(std::make_unique<DoublingCandidate>(DoublingCandidate::Fault{}));
    });
    ASSERT_EQ(report.has_value(), refused == 1);
    if (refused == 1) {
      EXPECT_EQ(report->verdict().kind, VerdictKind::kOk);
      EXPECT_EQ(report->shapes, std::vector<std::string>{"declared shapes"});
      ASSERT_EQ(report->notes.size(), 1U);
      EXPECT_EQ(report->notes[0], "hidden shape 1 left out: forward raised IndexError");
    }
  }
}

TEST(VerifyProgram, AWrongElementStopsTheRunAndIsNamed) {
  DoublingCandidate::Fault fault;
  fault.at_run = 7;
  const auto report = verify_with({}, fault);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->verdict().kind, VerdictKind::kWrong);
  EXPECT_EQ(report->draws, 9);  // the checked one among them
  const std::string& reason = report->verdict().reason;
  EXPECT_NE(reason.find("1 of 512 elements of output 0 refused, the worst at [511] (tile 0)"), std::string::npos);
  EXPECT_NE(reason.find("(draw 2, regime signed_scaled, declared shapes)"), std::string::npos) << reason;
  EXPECT_GT(report->error_ratio, 4);
}

TEST(VerifyProgram, ARaceShowsInTheRandomisedDraw) {
  DoublingCandidate::Fault fault;
  fault.only_randomised = true;
  const auto report = verify_with({}, fault);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->verdict().kind, VerdictKind::kWrong);
  EXPECT_NE(report->verdict().reason.find("random thread order"), std::string::npos) << report->verdict().reason;
}

Result<VerifyReport> verify_a_strangers(CallTrial right_up_to, bool needs_kernels = false,
                                        Ending at_destroy = Ending::kOk) {
  DoublingOracle script;
  auto oracle = script.make();
  VerifyRequest request = two_subjects();
  request.subjects.pop_back();
  request.repeats_calls = true;
  request.needs_kernels = needs_kernels;
  return verify_program(request, oracle, [&](const CandidateBinary&) {
    DoublingCandidate::Fault fault;
    fault.right_up_to = right_up_to;
    fault.at_destroy = at_destroy;
    return Result<std::unique_ptr<Candidate>>(std::make_unique<DoublingCandidate>(fault));
  });
}

TEST(VerifyProgram, AnAnswerThatNeedsNoKernelIsTheHosts) {
  for (const CallTrial honest : {CallTrial::kApart, CallTrial::kDeviceCopiesAlone}) {
    const auto right = verify_a_strangers(honest);
    ASSERT_TRUE(right.has_value()) << right.error().message;
    EXPECT_EQ(right->verdict().kind, VerdictKind::kOk) << right->verdict().reason;
  }
  const auto host = verify_a_strangers(CallTrial::kWithoutKernels);
  ASSERT_TRUE(host.has_value()) << host.error().message;
  EXPECT_EQ(host->verdict().kind, VerdictKind::kCheated);
  EXPECT_NE(host->verdict().reason.find("no kernel runs"), std::string::npos) << host->verdict().reason;
  const auto moved = verify_a_strangers(CallTrial::kDeviceCopiesAlone, true);
  ASSERT_TRUE(moved.has_value()) << moved.error().message;
  EXPECT_EQ(moved->verdict().kind, VerdictKind::kCheated);
  const auto touched = verify_a_strangers(CallTrial::kNone);
  ASSERT_TRUE(touched.has_value()) << touched.error().message;
  EXPECT_EQ(touched->verdict().kind, VerdictKind::kWrong);
}

TEST(VerifyProgram, AKernelThatTheAnswerDoesNotNeedIsFound) {
  DoublingOracle script;
  auto oracle = script.make();
  const auto ledger = std::make_shared<LaunchLedger>();
  VerifyRequest request = two_subjects();
  request.subjects.pop_back();
  request.subjects.front().binary.launches = ledger;
  request.repeats_calls = true;
  const auto report = verify_program(request, oracle, [&](const CandidateBinary&) {
    DoublingCandidate::Fault fault;
    fault.launches = ledger;
    fault.idle_kernel = 1;
    return Result<std::unique_ptr<Candidate>>(std::make_unique<DoublingCandidate>(fault));
  });
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->verdict().kind, VerdictKind::kOk) << report->verdict().reason;
  ASSERT_EQ(ledger->last()->size(), 2U);
  EXPECT_FALSE(ledger->last()->front().is_idle);
  EXPECT_TRUE(ledger->last()->back().is_idle);
  ASSERT_EQ(ledger->all()->records.size(), 2U);
  EXPECT_TRUE(ledger->all()->records.back().is_idle);
  EXPECT_EQ(ledger->all()->records.front().launches, 0);  // as the script says
  EXPECT_GT(ledger->all()->calls, 20);
}

TEST(VerifyProgram, AStrangersProgramIsPutAwayAtLast) {
  const auto report = verify_a_strangers(CallTrial::kApart, false, Ending::kCrashed);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->verdict().kind, VerdictKind::kCrashed);
  EXPECT_NE(report->verdict().reason.find("destroy: signal 11"), std::string::npos) << report->verdict().reason;
}

TEST(VerifyProgram, BadEndingsBecomeTheirVerdicts) {
  const std::pair<Ending, VerdictKind> rows[] = {{Ending::kCrashed, VerdictKind::kCrashed},
                                                 {Ending::kTimedOut, VerdictKind::kTimedOut},
                                                 {Ending::kRefused, VerdictKind::kWrong},
                                                 {Ending::kTampered, VerdictKind::kCheated}};
  for (const auto& [ending, kind] : rows) {
    DoublingCandidate::Fault fault;
    fault.at_run = 0;
    fault.ending = ending;
    for (const DeviceKind device : {DeviceKind::kEmulated, DeviceKind::kChecked}) {
      const auto report = verify_with({}, fault, device);
      ASSERT_TRUE(report.has_value());
      EXPECT_EQ(report->verdict().kind, kind);
      EXPECT_NE(report->verdict().reason.find("signal 11"), std::string::npos);
    }
  }
}

TEST(VerifyProgram, WhatTheCheckedDrawFindsComesBeforeALaterDraw) {
  DoublingCandidate::Fault crash;
  crash.at_run = 0;
  crash.ending = Ending::kCrashed;
  DoublingCandidate::Fault wrong;
  wrong.at_run = 2;
  DoublingOracle script;
  auto oracle = script.make();
  const auto report = verify_program(two_subjects(), oracle, [&](const CandidateBinary& binary) {
    const auto& fault = binary.device == DeviceKind::kChecked ? crash : wrong;
    return Result<std::unique_ptr<Candidate>>(std::make_unique<DoublingCandidate>(fault));
  });
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->verdict().kind, VerdictKind::kCrashed);
  EXPECT_NE(report->verdict().reason.find("draw 0, checked"), std::string::npos) << report->verdict().reason;
}

TEST(VerifyProgram, AMissingOutputIsWrong) {
  DoublingCandidate::Fault fault;
  fault.forgets_an_output = true;
  const auto report = verify_with({}, fault);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->verdict().kind, VerdictKind::kWrong);
}

TEST(VerifyProgram, ARegimeThatSaysNothingIsLeftOutAndNamed) {
  DoublingOracle oracle;
  oracle.chaotic = "signed_scaled";
  oracle.dropped = "sparse_extreme";
  const auto report = verify_with(oracle, {});
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->verdict().kind, VerdictKind::kOk);
  ASSERT_EQ(report->left_out.size(), 2U);
  EXPECT_EQ(report->left_out[0].regime, "signed_scaled");
  EXPECT_EQ(report->left_out[1].reason, "the reference raises");
}

TEST(VerifyProgram, OnlyTheRegimeAsGivenMakesATaskIllConditioned) {
  DoublingOracle oracle;
  oracle.chaotic = "as_given";
  const auto report = verify_with(oracle, {});
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->verdict().kind, VerdictKind::kIllConditioned);
}

// Nothing was found against it, and nothing was shown either: never ok.
void expect_undecided(const VerifyRequest& request, verify::ScriptedOracle oracle, const std::string& lack) {
  const auto report = verify_program(request, oracle, [](const CandidateBinary&) {
    return Result<std::unique_ptr<Candidate>>(std::make_unique<DoublingCandidate>(DoublingCandidate::Fault{}));
  });
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->verdict().kind, VerdictKind::kUndecided) << report->verdict().reason;
  EXPECT_EQ(report->verdict().reason, lack);
}

TEST(VerifyProgram, WithoutSubjectsOrRegimesNothingIsAccepted) {
  DoublingOracle script;
  expect_undecided({}, script.make(), "there was no shape to judge it at");
  script.regimes.clear();
  expect_undecided(two_subjects(), script.make(), "nothing was to be drawn at declared shapes");
}

TEST(VerifyProgram, WithoutDrawsNothingIsAccepted) {
  for (const size_t empty : {size_t{0}, size_t{1}}) {
    DoublingOracle script;
    VerifyRequest request = two_subjects();
    request.subjects[empty].draws_per_regime = 0;
    expect_undecided(request, script.make(), "nothing was to be drawn at " + request.subjects[empty].shape);
  }
}

TEST(VerifyProgram, AnOracleWithoutAnswersAcceptsNothing) {
  DoublingOracle script;
  script.regimes = {"signed_scaled"};
  script.dropped = "signed_scaled";
  VerifyRequest request = two_subjects();
  request.subjects.pop_back();
  request.subjects[0].checked.reset();
  request.no_checked_draw = "this test has none";
  expect_undecided(request, script.make(), "no draw was judged at declared shapes");
}

TEST(VerifyProgram, AnAbsentCheckedDrawIsToldOrNothingIsAccepted) {
  DoublingOracle script;
  VerifyRequest request = two_subjects();
  request.subjects[0].checked.reset();
  expect_undecided(request, script.make(), "no draw was checked, and nobody said why");
  request.no_checked_draw = "a GPU has no sanitizers";
  auto oracle = script.make();
  const auto report = verify_program(request, oracle, [](const CandidateBinary&) {
    return Result<std::unique_ptr<Candidate>>(std::make_unique<DoublingCandidate>(DoublingCandidate::Fault{}));
  });
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->verdict().kind, VerdictKind::kOk) << report->verdict().reason;
  EXPECT_EQ(report->notes, std::vector<std::string>{"no checked draw: a GPU has no sanitizers"});
}

// A draw that says nothing is counted and named, where others of its regime were judged.
TEST(VerifyProgram, ADrawThatTheReferenceRefusesIsTold) {
  DoublingOracle script;
  auto doubling = script.make();
  verify::ScriptedOracle oracle{[&](const OracleSource& source) { return doubling.open(source); },
                                [&](const OracleProgram& program, const std::string& regime, int draw) {
                                  Result<OracleDraw> made = doubling.draw(program, regime, draw);
                                  if (regime == "near_equal" && draw == 1) {
                                    made->dropped = "the reference raises";
                                  }
                                  return made;
                                }};
  const auto report = verify_program(two_subjects(), oracle, [](const CandidateBinary&) {
    return Result<std::unique_ptr<Candidate>>(std::make_unique<DoublingCandidate>(DoublingCandidate::Fault{}));
  });
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->verdict().kind, VerdictKind::kOk) << report->verdict().reason;
  EXPECT_EQ(report->findings.proof.shapes[0].planned, 20);
  EXPECT_EQ(report->findings.proof.shapes[0].judged, 19);
  EXPECT_EQ(report->findings.proof.shapes[0].told, 1);
  EXPECT_EQ(report->notes,
            std::vector<std::string>{"declared shapes, near_equal: 1 of 5 draws left out: the reference raises"});
}

TEST(VerifyProgram, AFailingWorldIsAnError) {
  DoublingOracle oracle;
  oracle.failing = "near_equal";
  EXPECT_FALSE(verify_with(oracle, {}).has_value());
  DoublingOracle unfaithful;
  unfaithful.gate_ok = false;
  const auto report = verify_with(unfaithful, {});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, ErrorCode::kProgramInvalid);
}

}  // namespace
}  // namespace stitch::evaluate
