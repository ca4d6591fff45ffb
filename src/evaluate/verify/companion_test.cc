// SPDX-License-Identifier: Apache-2.0
// Calls without kernels all through a verdict, and single calls in which none ran.
#include "evaluate/verify/companion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "evaluate/verify/who_worked.h"
#include "verify/compare/elements.h"
#include "verify/compare/test_tensors.h"

namespace stitch::evaluate {
namespace {

const std::vector<int64_t> kBesideShape = {8, 16};
constexpr size_t kBesideElements = 128;

std::vector<double> thrice(const HostTensor& x) {
  std::vector<double> values(kBesideElements);
  verify::load_doubles(x, 0, kBesideElements, values.data());
  std::transform(values.begin(), values.end(), values.begin(), [](double value) { return 3 * value; });
  return values;
}

verify::OracleDraw draw_from(double first, double step = 1) {
  std::vector<double> x(kBesideElements);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = first + step * static_cast<double>(i % 11);
  }
  verify::OracleDraw draw;
  draw.inputs = {verify::float_tensor(kBesideShape, x)};
  const std::vector<double> truth = thrice(draw.inputs[0]);
  draw.outputs = {verify::float_reference(kBesideShape, truth, truth)};
  return draw;
}

const std::vector<verify::OracleDraw>& known_draws() {
  static const std::vector<verify::OracleDraw> draws = {draw_from(1), draw_from(40), draw_from(700)};
  return draws;
}

// One process: what it has been asked so far.
struct Process {
  int prepares = 0;
  int whole = 0;
  int without_kernels = 0;
  bool ended = false;
  int calls() const { return whole + without_kernels; }
};

// Its answers, where no kernel runs, are the host's or none.
struct Tripling {
  std::function<bool(const Process&)> host_works = [](const Process&) { return false; };
  bool moves_alone = false;
  double whole_scale = 1;
  bool lists_copies = false;  // its whole calls launch one and no kernel
  Ending without_kernels = Ending::kOk;
  std::vector<Process> processes;

  StartCandidate starts() {
    return [this](const CandidateBinary& binary) -> Result<std::unique_ptr<Candidate>> {
      processes.emplace_back();
      return std::unique_ptr<Candidate>(std::make_unique<Running>(*this, binary.launches));
    };
  }

  class Running final : public Candidate {
   public:
    Running(Tripling& script, std::shared_ptr<LaunchLedger> launches)
        : script_(script), launches_(std::move(launches)), number_(script.processes.size() - 1) {}
    Result<CandidateOutcome> prepare(std::span<const HostTensor>) override {
      ++process().prepares;
      return CandidateOutcome{};
    }
    Result<CandidateOutcome> run(const CandidateCall& call) override {
      CandidateOutcome outcome;
      std::vector<double> answer = thrice(call.inputs[0]);
      if (runs_wholly(call.trial)) {
        ++process().whole;
        list_copy();
        std::transform(answer.begin(), answer.end(), answer.begin(),
                       [&](double value) { return script_.whole_scale * value; });
      } else {
        const bool is_right =
            call.trial == CallTrial::kDeviceCopiesAlone ? script_.moves_alone : script_.host_works(process());
        process().without_kernels += is_without_kernels(call.trial) ? 1 : 0;
        outcome.ending = script_.without_kernels;
        answer = is_right ? answer : std::vector<double>(kBesideElements, -5);
      }
      outcome.outputs = {verify::float_tensor(kBesideShape, answer)};
      return outcome;
    }
    Result<CandidateOutcome> destroy() override {
      process().ended = true;
      script_.processes.emplace_back();
      number_ = script_.processes.size() - 1;
      return CandidateOutcome{};
    }

   private:
    void list_copy() {
      LaunchRecord copy;
      copy.name = "cudaMemcpyAsync";
      if (script_.lists_copies) {
        launches_->keep({copy});
      }
    }
    Process& process() { return script_.processes[number_]; }
    Tripling& script_;
    std::shared_ptr<LaunchLedger> launches_;
    size_t number_;
  };
};

// The process that had no kernel, and most calls.
const Process& companion_of(const Tripling& script) {
  return *std::max_element(script.processes.begin(), script.processes.end(), [](const Process& a, const Process& b) {
    return (a.whole > 0 ? 0 : a.without_kernels) < (b.whole > 0 ? 0 : b.without_kernels);
  });
}

// So many whole calls, every third with other parameters.
std::optional<Finding> called_beside(Tripling& script, uint64_t seed, int calls = 120, double call_seconds = 0.001,
                                     std::shared_ptr<LaunchLedger> launches = nullptr) {
  const StartCandidate start = script.starts();
  CandidateBinary binary;
  binary.launches = std::move(launches);
  Companion companion({.binary = binary, .seed = seed}, start);
  for (int i = 0; i < calls; ++i) {
    const RunSettings settings{.prepares = i % 3 == 0};
    const auto& draw = known_draws()[static_cast<size_t>(i / 3) % known_draws().size()];
    const auto found = companion.call({draw, settings, i / 3 % 3, 0.8, calls - i, call_seconds}, known_draws());
    EXPECT_TRUE(found.has_value());
    if (found.has_value() && *found) {
      return *found;
    }
  }
  return std::nullopt;
}

TEST(Companion, AnHonestProgramIsAskedAllTheTimeAndAccepted) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    Tripling script;
    EXPECT_FALSE(called_beside(script, seed));
    const Process& first = companion_of(script);
    EXPECT_GT(first.without_kernels, 60);
    EXPECT_LT(first.without_kernels, 140);
    EXPECT_GT(first.prepares, 20);
    EXPECT_LT(first.prepares, first.without_kernels);
  }
}

TEST(Companion, AHostAtAnyMomentIsFound) {
  for (const int from : {1, 8, 20}) {
    Tripling script;
    script.host_works = [from](const Process& process) {
      return process.whole == 0 && process.prepares >= from && process.prepares <= from + 2;
    };
    const auto finding = called_beside(script, 3);
    ASSERT_TRUE(finding) << from;
    EXPECT_EQ(finding->kind, VerdictKind::kCheated);
    EXPECT_NE(finding->reason.find("as right when no kernel runs"), std::string::npos) << finding->reason;
  }
}

TEST(Companion, WhoHasSeenKernelsRunIsAskedToo) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    Tripling script;
    script.host_works = [](const Process& process) { return process.whole > 0 && process.calls() < 25; };
    EXPECT_TRUE(called_beside(script, seed)) << seed;
  }
}

TEST(Companion, PassingProcessesAreFewAndOfManyLengths) {
  std::vector<int> lengths;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Tripling script;
    EXPECT_FALSE(called_beside(script, seed, 300));
    int lives = 0;
    for (const Process& process : script.processes) {
      lives += process.ended ? 1 : 0;
      if (process.ended) {
        lengths.push_back(process.whole);
        EXPECT_GT(process.without_kernels, 0) << "its last calls";
      }
    }
    EXPECT_GE(lives, 2);
    EXPECT_LE(lives, 4);
  }
  EXPECT_EQ(*std::min_element(lengths.begin(), lengths.end()), 1);
  EXPECT_GT(*std::max_element(lengths.begin(), lengths.end()), 15);
}

TEST(Companion, WholeCallsOfPassingProcessesAreJudged) {
  Tripling script;
  script.whole_scale = 1.02;
  const auto finding = called_beside(script, 3);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, VerdictKind::kWrong);
  EXPECT_NE(finding->reason.find("a call in a process beside"), std::string::npos) << finding->reason;
}

TEST(Companion, TheLaunchesOfARefusedCallAloneAreTold) {
  for (const double scale : {1.0, 1.02}) {
    Tripling script;
    script.whole_scale = scale;
    script.lists_copies = true;
    const auto launches = std::make_shared<LaunchLedger>();
    ASSERT_EQ(called_beside(script, 3, 120, 0.001, launches).has_value(), scale != 1.0);
    const auto told = launches->all();
    ASSERT_EQ(told.has_value(), scale != 1.0);
    EXPECT_EQ(told ? told->calls_without_work : 1, 1);
    EXPECT_EQ(told ? told->calls : 1, 1);
  }
}

TEST(Companion, WhoMerelyMovesIsAskedOnce) {
  Tripling script;
  script.host_works = [](const Process&) { return true; };
  script.moves_alone = true;
  EXPECT_FALSE(called_beside(script, 3));
  EXPECT_EQ(companion_of(script).without_kernels, 1);
}

TEST(Companion, CallsThatFailEndSoonAndSlowOnesPassNoProcess) {
  Tripling failing;
  failing.without_kernels = Ending::kTimedOut;
  EXPECT_FALSE(called_beside(failing, 3));
  EXPECT_EQ(companion_of(failing).without_kernels, 2);
  Tripling slow;
  EXPECT_FALSE(called_beside(slow, 3, 120, 2.0));
  EXPECT_EQ(slow.processes.size(), 1U);
}

TEST(Companion, ACallInWhichNoKernelRanIsMadeAgainByCopiesAlone) {
  const auto ended = [](std::optional<bool> has_work, bool moves_alone, const verify::OracleDraw& draw) {
    Tripling script;
    script.moves_alone = moves_alone;
    CandidateBinary binary;
    const WorkQuestion question = question_of(binary, MathMode::kFp32);
    if (has_work.has_value()) {
      LaunchRecord copy;
      copy.name = "cudaMemcpyAsync";
      LaunchRecord kernel;
      kernel.line = 7;
      kernel.threads = 32;
      question.launches->keep(*has_work ? std::vector{copy, kernel} : std::vector{copy});
    }
    const auto candidate = script.starts()(binary).value();
    const auto result = run_and_ask(*candidate, draw, {}, question).value();
    const auto* finding = std::get_if<Finding>(&result);
    return finding == nullptr ? VerdictKind::kOk : finding->kind;
  };
  const verify::OracleDraw& draw = known_draws()[0];
  EXPECT_EQ(ended(true, false, draw), VerdictKind::kOk);
  EXPECT_EQ(ended(std::nullopt, false, draw), VerdictKind::kOk) << "nobody knows";
  EXPECT_EQ(ended(false, true, draw), VerdictKind::kOk) << "it moves its input";
  EXPECT_EQ(ended(false, false, draw), VerdictKind::kCheated);
  EXPECT_EQ(ended(false, false, draw_from(0, 0)), VerdictKind::kOk) << "zeros may be set";
}

TEST(Companion, TheCheckedDrawIsADrawnNumberOfCalls) {
  std::vector<int> numbers;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Tripling script;
    const auto candidate = script.starts()({}).value();
    ASSERT_TRUE(run_checked(*candidate, known_draws()[0], seed, true).has_value());
    numbers.push_back(script.processes.front().whole);
    ASSERT_TRUE(run_checked(*candidate, known_draws()[0], seed, false).has_value());
    EXPECT_EQ(script.processes.front().whole, numbers.back() + 1);
  }
  EXPECT_EQ(*std::min_element(numbers.begin(), numbers.end()), 1);
  EXPECT_GT(*std::max_element(numbers.begin(), numbers.end()), 5);
}

}  // namespace
}  // namespace stitch::evaluate
