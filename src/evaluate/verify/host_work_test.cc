// SPDX-License-Identifier: Apache-2.0
// Calls in which no kernel runs: who is right in one of them computes on the host.
#include "evaluate/verify/host_work.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <utility>

#include "verify/compare/elements.h"
#include "verify/compare/test_tensors.h"

namespace stitch::evaluate {
namespace {

const std::vector<int64_t> kShape = {20, 16};
constexpr size_t kHostWorkElements = 320;

std::vector<double> twice(const HostTensor& x) {
  std::vector<double> values(kHostWorkElements);
  verify::load_doubles(x, 0, kHostWorkElements, values.data());
  for (double& value : values) {
    value *= 2;
  }
  return values;
}

verify::OracleDraw draw_of(double first) {
  std::vector<double> x(kHostWorkElements);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = first + static_cast<double>(i % 23);
  }
  verify::OracleDraw draw;
  draw.inputs = {verify::float_tensor(kShape, x)};
  const std::vector<double> truth = twice(draw.inputs[0]);
  draw.outputs = {verify::float_reference(kShape, truth, truth)};
  return draw;
}

std::vector<verify::OracleDraw> draws_from(std::initializer_list<double> firsts) {
  std::vector<verify::OracleDraw> draws;
  for (const double first : firsts) {
    draws.push_back(draw_of(first));
  }
  return draws;
}

// What was asked of a candidate in calls without kernels.
struct Asked {
  int calls = 0;         // of its process
  int open = 0;          // of them with memory open
  int calls_before = 0;  // of the one before
  int whole = 0;         // calls with kernels, of its process
  int prepares = 0;
  std::set<int> streams;
  std::set<double> contents;
  bool by_copies = false;  // a call with copies within the device alone
};

// Twice its input. `host_works` says in which of the calls without kernels the host gives the answer.
class Doubling final : public Candidate {
 public:
  using HostWorks = std::function<bool(int call)>;
  explicit Doubling(HostWorks host_works, Ending ending = Ending::kOk, bool moves_alone = false)
      : host_works_(std::move(host_works)), ending_(ending), moves_alone_(moves_alone) {}

  Result<CandidateOutcome> prepare(std::span<const HostTensor>) override {
    ++prepares_;
    return CandidateOutcome{};
  }
  Result<CandidateOutcome> run(const CandidateCall& call) override {
    CandidateOutcome outcome;
    std::vector<double> answer = twice(call.inputs[0]);
    if (call.trial == CallTrial::kDeviceCopiesAlone) {
      asked.by_copies = true;
      answer = moves_alone_ ? answer : std::vector<double>(kHostWorkElements);
    } else if (is_without_kernels(call.trial)) {
      asked.open += call.trial == CallTrial::kWithoutKernelsOpen ? 1 : 0;
      asked.prepares = std::exchange(prepares_, 0) + asked.prepares;
      asked.streams.insert(call.stream);
      asked.contents.insert(answer[0] / 2);
      outcome.ending = ending_;
      answer = host_works_(asked.calls++) ? answer : last_;
    } else {
      for (double& value : answer) {
        value *= whole_scale;
      }
      last_ = answer;
      prepares_ = 0;
      ++asked.whole;
    }
    outcome.outputs = {verify::float_tensor(kShape, answer)};
    return outcome;
  }

  Result<CandidateOutcome> destroy() override {
    last_.assign(kHostWorkElements, 0);
    const int calls = asked.calls;
    asked = Asked();
    asked.calls_before = calls;
    ++starts;
    return CandidateOutcome{};
  }

  Asked asked;
  int starts = 0;
  double whole_scale = 1;  // of answers where kernels work

 private:
  HostWorks host_works_;
  Ending ending_;
  bool moves_alone_;
  int prepares_ = 0;
  std::vector<double> last_;
};

bool never(int) { return false; }
bool always(int) { return true; }

std::optional<Finding> judged(Doubling& candidate, uint64_t seed, bool needs_kernels = true,
                              double call_seconds = 0.001) {
  const auto draws = draws_from({1, 50, 300});
  const auto others = draws_from({900, 2000});
  const auto finding = refuse_host_work(
      {.draws = draws, .others = others, .needs_kernels = needs_kernels, .seed = seed, .call_seconds = call_seconds},
      candidate);
  EXPECT_TRUE(finding.has_value());
  return finding.has_value() ? *finding : std::nullopt;
}

TEST(HostWork, KernelsThatDoNothingLeaveNoAnswer) {
  std::set<int> numbers;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Doubling candidate(never);
    EXPECT_FALSE(judged(candidate, seed));
    for (const int calls : {candidate.asked.calls_before, candidate.asked.calls}) {
      EXPECT_GE(calls, 96);
      EXPECT_LE(calls, 240);
      numbers.insert(calls);
    }
    EXPECT_GT(4 * candidate.asked.open, candidate.asked.calls) << "whoever sees that memory is open learns nothing";
    EXPECT_LT(4 * candidate.asked.open, 3 * candidate.asked.calls);
  }
  EXPECT_GT(numbers.size(), 10U) << "nobody can know how many there are";
}

TEST(HostWork, TheWholeCallBeforeThemIsJudged) {
  Doubling candidate(never);
  candidate.whole_scale = 1.02;
  const auto finding = judged(candidate, 7);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, VerdictKind::kWrong);
  EXPECT_NE(finding->reason.find("the call before those without kernels"), std::string::npos) << finding->reason;
}

TEST(HostWork, TheyComeOnAllStreamsContentsAndOftenInARow) {
  Doubling candidate(never);
  EXPECT_FALSE(judged(candidate, 7));
  EXPECT_EQ(candidate.asked.streams.size(), static_cast<size_t>(kCallStreams));
  EXPECT_EQ(candidate.asked.contents, (std::set<double>{50, 300, 900, 2000})) << "not those of the last whole call";
  EXPECT_LT(candidate.asked.prepares, candidate.asked.calls);
}

TEST(HostWork, MostContentsAreFresh) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    Doubling candidate(never);
    const auto draws = draws_from({1, 50});
    const std::vector<verify::OracleDraw> others;
    const auto fresh = [] {
      std::vector<verify::OracleDraw> some;
      for (int i = 0; i < 20; ++i) {
        some.push_back(draw_of(1000.0 + 100 * i));
      }
      return Result<std::vector<verify::OracleDraw>>(some);
    };
    const auto finding = refuse_host_work({.draws = draws,
                                           .others = others,
                                           .needs_kernels = true,
                                           .seed = seed,
                                           .call_seconds = 0.001,
                                           .draw_fresh = fresh},
                                          candidate);
    ASSERT_TRUE(finding.has_value() && !*finding);
    EXPECT_GE(candidate.asked.contents.size(), 18U) << "of 21, seed " << seed;
  }
}

TEST(HostWork, AProcessHasNoKernelFromItsFirstCallOn) {
  Doubling candidate(never);
  EXPECT_FALSE(judged(candidate, 7));
  EXPECT_EQ(candidate.starts, 1);
  EXPECT_EQ(candidate.asked.whole, 0);
}

TEST(HostWork, WhoWorksOnTheHostInEarlyCallsAloneIsRefused) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Doubling candidate([&](int number) { return candidate.starts == 1 && number == 3; });
    ASSERT_TRUE(judged(candidate, seed));
    EXPECT_EQ(candidate.asked.calls, 4);
  }
}

TEST(HostWork, WhoCannotEndIsRefused) {
  class Ends final : public Candidate {
   public:
    Result<CandidateOutcome> prepare(std::span<const HostTensor> all) override { return within_.prepare(all); }
    Result<CandidateOutcome> run(const CandidateCall& call) override { return within_.run(call); }
    Result<CandidateOutcome> destroy() override {
      CandidateOutcome outcome;
      outcome.ending = Ending::kCrashed;
      outcome.message = "it was killed";
      return outcome;
    }

   private:
    Doubling within_{never};
  };
  const auto draws = draws_from({1, 50});
  const std::vector<verify::OracleDraw> others;
  Ends candidate;
  const auto finding = refuse_host_work({.draws = draws, .others = others}, candidate);
  ASSERT_TRUE(finding.has_value() && *finding);
  EXPECT_EQ((*finding)->kind, VerdictKind::kCrashed);
  EXPECT_EQ((*finding)->reason, "destroy: it was killed");
}

// One flag, which random bytes meet.
TEST(HostWork, AnAnswerThatChanceGivesSaysNothing) {
  class Flag final : public Candidate {
   public:
    Result<CandidateOutcome> prepare(std::span<const HostTensor>) override { return CandidateOutcome{}; }
    Result<CandidateOutcome> run(const CandidateCall& call) override {
      std::vector<double> x(1);
      verify::load_doubles(call.inputs[0], 0, 1, x.data());
      CandidateOutcome outcome;
      outcome.outputs = {flag(call.trial == CallTrial::kNone ? x[0] > 10 : true)};
      return outcome;
    }
    static HostTensor flag(bool value) {
      return HostTensor::from_bytes({"0", TensorRole::kOutput, {DataType::kBool, {1}}},
                                    {static_cast<std::byte>(value ? 1 : 0)});
    }
  };
  auto draws = draws_from({1, 50});
  for (verify::OracleDraw& draw : draws) {
    std::vector<double> x(1);
    verify::load_doubles(draw.inputs[0], 0, 1, x.data());
    draw.outputs[0] = verify::integer_reference({1}, {0});
    draw.outputs[0].type = {DataType::kBool, {1}};
    draw.outputs[0].reference = draw.outputs[0].native = Flag::flag(x[0] > 10);
  }
  const std::vector<verify::OracleDraw> others;
  Flag candidate;
  const auto finding = refuse_host_work({.draws = draws, .others = others, .needs_kernels = true}, candidate);
  ASSERT_TRUE(finding.has_value());
  EXPECT_FALSE(*finding);
}

TEST(HostWork, OneRightAnswerIsEnough) {
  for (const int call : {0, 3, 40}) {
    Doubling candidate([call](int number) { return number == call; });
    const auto finding = judged(candidate, 5);
    ASSERT_TRUE(finding);
    EXPECT_EQ(finding->kind, VerdictKind::kCheated);
    EXPECT_NE(finding->reason.find("as right when no kernel runs"), std::string::npos) << finding->reason;
    EXPECT_EQ(candidate.asked.calls, call + 1);
  }
}

TEST(HostWork, WhoMerelyMovesMayDoSoByCopies) {
  Doubling by_copies(always, Ending::kOk, true);
  EXPECT_FALSE(judged(by_copies, 5, false));
  EXPECT_TRUE(by_copies.asked.by_copies);
  Doubling by_host(always);
  EXPECT_TRUE(judged(by_host, 5, false));
  Doubling needing_kernels(always, Ending::kOk, true);
  EXPECT_TRUE(judged(needing_kernels, 5, true));
}

TEST(HostWork, SlowProgramsAreCalledLess) {
  Doubling candidate(never);
  EXPECT_FALSE(judged(candidate, 5, true, 2.0));
  EXPECT_GE(candidate.asked.calls, 2);
  EXPECT_LE(candidate.asked.calls, 20);
}

TEST(HostWork, CallsThatFailAreNoAnswersAndEndSoon) {
  Doubling candidate(always, Ending::kCrashed);
  EXPECT_FALSE(judged(candidate, 5));
  EXPECT_LT(candidate.asked.calls, 96);
}

TEST(HostWork, AnswersThatAreAllAlikeSayNothing) {
  Doubling candidate(always);
  const auto draws = draws_from({1, 1});
  const std::vector<verify::OracleDraw> others;
  const auto finding = refuse_host_work({.draws = draws, .others = others, .needs_kernels = true}, candidate);
  ASSERT_TRUE(finding.has_value());
  EXPECT_FALSE(*finding);
  EXPECT_EQ(candidate.asked.calls, 0);
}

}  // namespace
}  // namespace stitch::evaluate
