// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/repeated_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "verify/compare/elements.h"
#include "verify/compare/test_tensors.h"

namespace stitch::evaluate {
namespace {

using Tensors = std::vector<HostTensor>;
using Values = std::vector<double>;

constexpr int64_t kRows = 32;
constexpr int64_t kColumns = 16;
constexpr int64_t kAll = kRows * kColumns;

Values all_of(const HostTensor& tensor) {
  Values values(static_cast<size_t>(tensor.spec().type.element_count()));
  verify::load_doubles(tensor, 0, static_cast<int64_t>(values.size()), values.data());
  return values;
}

// y = parameter x.
Values product(const HostTensor& x, double parameter) {
  Values values = all_of(x);
  std::for_each(values.begin(), values.end(), [&](double& value) { value *= parameter; });
  return values;
}

verify::OracleDraw answer_to(const HostTensor& x, double parameter) {
  const Values truth = product(x, parameter);
  verify::OutputReference reference = verify::float_reference({kRows, kColumns}, truth, truth);
  Values moved = truth;
  std::for_each(moved.begin(), moved.end(), [](double& value) { value *= 1 + 0x1p-22; });
  reference.perturbed = {verify::float_tensor({kRows, kColumns}, moved),
                         verify::float_tensor({kRows, kColumns}, moved)};
  verify::OracleDraw draw;
  draw.inputs = {x};
  draw.parameters = {verify::float_tensor({1}, {parameter})};
  draw.outputs = {reference};
  return draw;
}

// `are_alike`: those as given have the same contents, and draws of another regime do not.
RepeatedDraws three_draws(bool are_alike) {
  RepeatedDraws kept;
  for (int number = 0; number < 3; ++number) {
    Values x(kAll);
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = 1 + number + static_cast<double>(i % 29);
    }
    const auto other = verify::float_tensor({kRows, kColumns}, x);
    const auto given = are_alike ? verify::float_tensor({kRows, kColumns}, Values(kAll, 3.0)) : other;
    kept.offer(answer_to(given, 1.0 + number), number + 4, verify::kAsGiven);
    kept.offer(answer_to(other, 1.0 + number), number, "signed_scaled");
  }
  return kept;
}

// What a program keeps its answers by, and from when on.
struct Habit {
  std::function<std::vector<double>(const Values& x, double parameter, int prepares)> key{};
  int after_calls = 0;
  int deaf_from = 1000;  // prepare() that changes nothing any more
  bool reads_parameters = true;
};

class Multiplying final : public Candidate {
 public:
  explicit Multiplying(Habit habit) : habit_(std::move(habit)) {}

  Result<CandidateOutcome> prepare(std::span<const HostTensor> parameters) override {
    parameter_ = ++prepares_ < habit_.deaf_from ? all_of(parameters[0])[0] : parameter_;
    return CandidateOutcome{};
  }
  Result<CandidateOutcome> run(const CandidateCall& call) override {
    Values answer = product(call.inputs[0], parameter_);
    if (habit_.key && ++calls_ > habit_.after_calls) {
      answer = kept_.emplace(habit_.key(all_of(call.inputs[0]), parameter_, prepares_), answer).first->second;
    }
    CandidateOutcome outcome;
    outcome.outputs = {verify::float_tensor({kRows, kColumns}, answer)};
    return outcome;
  }

 private:
  Habit habit_;
  double parameter_ = 0;
  int prepares_ = 0;
  int calls_ = 0;
  std::map<std::vector<double>, Values> kept_;
};

RepeatedCalls calls_of(Habit habit, uint64_t seed, bool are_alike = false) {
  const RepeatedDraws kept = three_draws(are_alike);
  const AskAnswer ask = [](const Tensors& inputs, const Tensors&, int draw) -> Result<verify::OracleDraw> {
    return answer_to(inputs.at(0), draw - 4 + 1.0);
  };
  Multiplying candidate(std::move(habit));
  const auto done = repeat_calls({.kept = kept, .seed = seed, .ask = ask}, candidate);
  EXPECT_TRUE(done.has_value());
  return *done;
}

Values sample_of(const Values& x, size_t step) {
  Values sample;
  for (size_t i = 0; i < x.size(); i += step) {
    sample.push_back(x[i]);
  }
  return sample;
}

TEST(RepeatedCalls, AnHonestProgramIsRightInAll) {
  const Habit plans{.key = [](const Values& x, double parameter, int) {
    Values key = x;  // of all that an answer follows from
    key.push_back(parameter);
    return key;
  }};
  for (uint64_t seed = 0; seed < 5; ++seed) {
    for (const Habit& habit : {Habit{}, plans}) {
      const RepeatedCalls done = calls_of(habit, seed);
      EXPECT_FALSE(done.finding.has_value()) << done.finding->reason;
      EXPECT_GE(done.counts.calls, 40);
      EXPECT_GT(done.counts.judged, 30);
      EXPECT_GT(done.counts.mixed, 5);
      EXPECT_GT(done.counts.by_row + done.counts.by_element, 3);
      EXPECT_EQ(done.counts.left_out, 0);
      EXPECT_EQ(done.counts.limit, "");
    }
  }
}

TEST(RepeatedCalls, WhoeverKeepsAnswersIsWrong) {
  using Key = Values;
  const Habit habits[] = {
      {.key = [](const Values&, double, int prepares) { return Key{double(prepares)}; }},
      {.key = [](const Values&, double, int prepares) { return Key{double(prepares)}; }, .after_calls = 30},
      {.key = [](const Values& x, double parameter, int) { return Key{x[0], parameter}; }},
      {.key =
           [](const Values& x, double parameter, int) {
             Key key = sample_of(x, 16);  // the first of each row
             key.push_back(parameter);
             return key;
           }},
      {.key =
           [](const Values& x, double parameter, int) {
             Key key = sample_of(x, 2);
             key.push_back(parameter);
             return key;
           }},
      {.key = [](const Values& x, double, int) { return x; }},  // whatever the parameters are
      {.deaf_from = 2},
  };
  for (uint64_t seed = 0; seed < 10; ++seed) {
    for (size_t i = 0; i < std::size(habits); ++i) {
      const RepeatedCalls done = calls_of(habits[i], seed);
      ASSERT_TRUE(done.finding.has_value()) << "habit " << i << ", seed " << seed;
      EXPECT_EQ(done.finding->kind, VerdictKind::kWrong);
      EXPECT_NE(done.finding->reason.find("repeated call "), std::string::npos) << done.finding->reason;
    }
  }
}

TEST(RepeatedCalls, ContentsDifferWhereTheFileMakesThemAlike) {
  const Habit since_prepare{.key = [](const Values&, double, int prepares) { return Values{double(prepares)}; }};
  for (uint64_t seed = 0; seed < 5; ++seed) {
    EXPECT_TRUE(calls_of(since_prepare, seed, true).finding.has_value()) << "seed " << seed;
    EXPECT_FALSE(calls_of(Habit{}, seed, true).finding.has_value()) << "seed " << seed;
  }
}

TEST(RepeatedCalls, ContentsThatTheReferenceDoesNotTakeAreNoCalls) {
  const RepeatedDraws kept = three_draws(false);
  int asked = 0;
  const AskAnswer ask = [&](const Tensors& inputs, const Tensors&, int draw) -> Result<verify::OracleDraw> {
    verify::OracleDraw answer = answer_to(inputs.at(0), draw - 4 + 1.0);
    if (++asked % 2 == 0) {
      answer = {};
      answer.dropped = "log of a negative";
    }
    return answer;
  };
  Multiplying candidate({});
  const auto done = repeat_calls({.kept = kept, .seed = 2, .ask = ask}, candidate);
  ASSERT_TRUE(done.has_value());
  EXPECT_FALSE(done->finding.has_value()) << done->finding->reason;
  EXPECT_GT(done->counts.left_out, 3);
  const AskAnswer never = [](const Tensors&, const Tensors&, int) -> Result<verify::OracleDraw> {
    verify::OracleDraw answer;
    answer.dropped = "log of a negative";
    return answer;
  };
  const auto own = repeat_calls({.kept = kept, .seed = 2, .ask = never}, candidate);
  ASSERT_TRUE(own.has_value());
  EXPECT_EQ(own->counts.limit, "log of a negative");
  EXPECT_EQ(own->counts.judged, own->counts.calls);
}

}  // namespace
}  // namespace stitch::evaluate
