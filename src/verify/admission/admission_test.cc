// SPDX-License-Identifier: Apache-2.0
#include "verify/admission/admission.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "base/json/json.h"
#include "verify/compare/test_tensors.h"

namespace stitch::verify {
namespace {

constexpr int64_t kElements = 512;

using Values = std::vector<double>;

Values counted(double first, double step, int64_t count = kElements) {
  Values values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(first + step * static_cast<double>(i));
  }
  return values;
}

// A task with given right answers, output by output and draw by draw, and null candidates with given answers.
class TaskOracle final : public Oracle {
 public:
  using Right = std::function<std::vector<Values>(const std::string& regime, int draw)>;
  using Wrong = std::function<NullAnswer(const std::vector<Values>& right)>;

  TaskOracle(size_t outputs, Right right) : outputs_(outputs), right_(std::move(right)) {}
  void add(NullCandidate null, Wrong wrong) {
    list_.nulls.push_back(null);
    wrong_[null.key] = std::move(wrong);
  }
  double ulps_of_perturbed = 0;                   // how far one ulp at the inputs moves every output
  std::function<double(int draw)> native_factor;  // how far the native run is off
  int draws = 0;
  std::vector<std::string> questions;  // that cannot be asked

  Result<std::vector<std::string>> unasked(const OracleProgram&) override { return questions; }
  Result<OracleProgram> open(const OracleSource&) override {
    OracleProgram program;
    program.regimes = {"as_given", "signed_scaled"};
    const auto count = static_cast<int64_t>(right_("as_given", 0).front().size());
    program.outputs.assign(outputs_, {"y", TensorRole::kOutput, {DataType::kFloat32, {count}}});
    program.gate_ok = true;
    return program;
  }

  Result<OracleDraw> draw(const OracleProgram&, const std::string& regime, int number) override {
    ++draws;
    OracleDraw made;
    latest_ = right_(regime, number);
    for (size_t i = 0; i < latest_.size(); ++i) {
      const auto count = static_cast<int64_t>(latest_[i].size());
      Values native = latest_[i];
      for (double& value : native) {
        value *= native_factor ? native_factor(number) : 1.0;
      }
      OutputReference reference = float_reference({count}, latest_[i], native);
      reference.name = "output " + std::to_string(i);
      Values moved = native;
      for (double& value : moved) {
        value *= 1 + ulps_of_perturbed * 1.2e-7;
      }
      reference.perturbed = {float_tensor({count}, moved)};
      made.outputs.push_back(std::move(reference));
    }
    return made;
  }

  Result<std::vector<OutputReference>> intermediates(const OracleProgram&, const std::vector<TensorSpec>&) override {
    return std::vector<OutputReference>{};
  }
  Result<NullList> nulls(const OracleProgram&) override { return list_; }
  Result<NullAnswer> null_answer(const OracleProgram&, const NullCandidate& null) override {
    return wrong_.at(null.key)(latest_);
  }

 private:
  size_t outputs_;
  Right right_;
  std::vector<Values> latest_;
  NullList list_;
  std::map<std::string, Wrong> wrong_;
};

NullAnswer answer_of(const std::vector<Values>& values) {
  NullAnswer answer;
  for (const Values& each : values) {
    answer.made.push_back(float_tensor({static_cast<int64_t>(each.size())}, each));
  }
  return answer;
}

TaskOracle::Wrong constant(double value) {
  return [value](const std::vector<Values>& right) {
    std::vector<Values> made;
    for (const Values& each : right) {
      made.emplace_back(each.size(), value);
    }
    return answer_of(made);
  };
}
const TaskOracle::Wrong kRight = [](const std::vector<Values>& right) { return answer_of(right); };
const TaskOracle::Wrong kSilent = [](const std::vector<Values>&) { return NullAnswer{}; };
const TaskOracle::Wrong kNever = [](const std::vector<Values>&) { return NullAnswer{{}, false}; };

AdmissionReport admitted(TaskOracle& oracle) {
  AdmissionRequest request;
  request.draws_per_regime = 3;
  const auto report = admit(request, oracle);
  EXPECT_TRUE(report.has_value());
  return report.has_value() ? *report : AdmissionReport{};
}

std::vector<Values> counting(const std::string&, int) { return {counted(1, 0.5)}; }

TEST(Admission, ATaskThatRefusesEverythingIsAdmittedAfterOneDraw) {
  TaskOracle oracle(1, counting);
  oracle.add({"N01", "N01", "zeros", true}, constant(0));
  oracle.add({"N18", "N18", "axes exchanged", true}, kNever);
  const AdmissionReport report = admitted(oracle);
  EXPECT_EQ(report.status, AdmissionStatus::kAdmitted);
  EXPECT_EQ(report.message(), "admitted: all 1 null candidates are refused");
  EXPECT_EQ(oracle.draws, 1);
  EXPECT_NE(report.nulls[0].reason.find("regime as_given, draw 0"), std::string::npos);
  EXPECT_EQ(report.nulls[1].outcome, NullOutcome::kSilent);
}

TEST(Admission, AConstantOutputIsDegenerate) {
  TaskOracle oracle(1, [](const std::string&, int) { return std::vector<Values>{Values(kElements, 0.0)}; });
  oracle.add({"N01", "N01", "zeros", true}, constant(0));
  oracle.add({"N02", "N02", "ones", true}, constant(1));
  const AdmissionReport report = admitted(oracle);
  EXPECT_EQ(report.status, AdmissionStatus::kDegenerate);
  EXPECT_EQ(report.message(), "degenerate: the task takes zeros (N01) for right answers");
  EXPECT_EQ(report.nulls[1].outcome, NullOutcome::kRefused);
  EXPECT_EQ(report.draws, 6);  // every draw of both regimes had its chance
}

TEST(Admission, OneDrawOfOneRegimeIsEnoughToRefuse) {
  TaskOracle oracle(1, [](const std::string& regime, int draw) {
    return std::vector<Values>{Values(kElements, regime == "signed_scaled" && draw == 2 ? 1.0 : 0.0)};
  });
  oracle.add({"N01", "N01", "zeros", true}, constant(0));
  const AdmissionReport report = admitted(oracle);
  EXPECT_EQ(report.status, AdmissionStatus::kAdmitted);
  EXPECT_NE(report.nulls[0].reason.find("regime signed_scaled, draw 2"), std::string::npos);
}

TEST(Admission, APartThatNobodySeesMakesATaskWeak) {
  TaskOracle oracle(1, counting);
  oracle.add({"N01", "N01", "zeros", true}, constant(0));
  oracle.add({"N10:3", "N10", "operator relu removed", false}, kRight);
  const AdmissionReport report = admitted(oracle);
  EXPECT_EQ(report.status, AdmissionStatus::kWeak);
  EXPECT_EQ(report.message(), "weak: the task does not notice operator relu removed (N10)");
}

TEST(Admission, AQuestionThatCannotBeAskedMakesATaskWeak) {
  TaskOracle oracle(1, counting);
  oracle.questions = {"state cache otherwise than as constructed: the reference raised IndexError", "calls"};
  oracle.add({"N01", "N01", "zeros", true}, constant(0));
  const AdmissionReport report = admitted(oracle);
  EXPECT_EQ(report.status, AdmissionStatus::kWeak);
  EXPECT_EQ(
      report.message(),
      "weak: no verdict can ask for state cache otherwise than as constructed: the reference raised IndexError (and "
      "1 more)");
  const Result<AdmissionReport> again = admission_report_from_json(to_json(report));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->unasked, oracle.questions);
}

TEST(Admission, OneOutputOfSeveralThatIsConstantMakesATaskWeak) {
  TaskOracle oracle(
      2, [](const std::string&, int) { return std::vector<Values>{counted(1, 0.5), Values(kElements, 0.0)}; });
  oracle.add({"N01", "N01", "zeros", true}, constant(0));
  const AdmissionReport report = admitted(oracle);
  EXPECT_EQ(report.status, AdmissionStatus::kWeak);
  EXPECT_EQ(report.message(), "weak: the task does not notice zeros (N01 for output 1)");
}

// As NaN in an output of whole numbers, for which the right answer stands.
TEST(Admission, WhatANullNeverSpeaksOfIsNothingThatItPassesFor) {
  TaskOracle oracle(2, [](const std::string&, int) { return std::vector<Values>{counted(1, 0.5), counted(3, 0.25)}; });
  oracle.add({"N19:nan", "N19", "NaN everywhere", true}, [](const std::vector<Values>& right) {
    NullAnswer answer = answer_of({Values(kElements, std::nan("")), right[1]});
    answer.silent = {1};
    return answer;
  });
  const AdmissionReport report = admitted(oracle);
  EXPECT_EQ(report.status, AdmissionStatus::kAdmitted);
  EXPECT_EQ(oracle.draws, 1);
}

// What it leaves as it is in one draw it may pass for in another.
TEST(Admission, WhatANullLeavesAloneIsLookedAtAgain) {
  TaskOracle oracle(
      2, [](const std::string&, int) { return std::vector<Values>{counted(1, 0.5), Values(kElements, 0.0)}; });
  int asked = 0;
  oracle.add({"N17", "N17", "rows shifted", true}, [&asked](const std::vector<Values>& right) {
    NullAnswer answer = answer_of({Values(kElements, 9.0), right[1]});
    answer.unchanged = asked++ == 0 ? std::vector<int64_t>{1} : std::vector<int64_t>{};
    return answer;
  });
  const AdmissionReport report = admitted(oracle);
  EXPECT_EQ(report.message(), "weak: the task does not notice rows shifted (N17 for output 1)");
}

TEST(Admission, SilenceNeedsNoMoreThanEachRegimesFirstDraw) {
  TaskOracle oracle(1, counting);
  oracle.add({"N17", "N17", "rows shifted", true}, kSilent);
  EXPECT_EQ(admitted(oracle).status, AdmissionStatus::kAdmitted);
  EXPECT_EQ(oracle.draws, 2);
}

TEST(Admission, ATaskThatOneUlpDecidesCannotBeJudged) {
  TaskOracle oracle(1, counting);
  oracle.ulps_of_perturbed = 1e6;
  oracle.add({"N01", "N01", "zeros", true}, constant(0));
  const AdmissionReport report = admitted(oracle);
  EXPECT_EQ(report.status, AdmissionStatus::kIllConditioned);
  EXPECT_EQ(report.message(), "ill-conditioned: regime as_given is left out: one ulp at the inputs decides about y");
}

// Its own runs err by 1e-3 in draw 2 alone: what all draws of the regime allow, draw 0 allows too.
TEST(Admission, SmallOutputsHaveTheBudgetOfTheirWholeRegime) {
  const auto off_by = [](double factor) {
    return [factor](const std::vector<Values>& right) {
      Values made = right[0];
      for (double& value : made) {
        value *= factor;
      }
      return answer_of({made});
    };
  };
  TaskOracle oracle(1, [](const std::string&, int) { return std::vector<Values>{counted(1, 0.5, 8)}; });
  oracle.native_factor = [](int draw) { return draw == 2 ? 1.001 : 1.0; };
  oracle.add({"N20", "N20", "too large", true}, off_by(1.05));
  oracle.add({"N11", "N11", "lower", false}, off_by(1.001));
  const AdmissionReport report = admitted(oracle);
  EXPECT_EQ(report.nulls[0].outcome, NullOutcome::kRefused);
  EXPECT_EQ(report.nulls[1].outcome, NullOutcome::kPassed);
  EXPECT_EQ(oracle.draws, 10);  // three of each regime to measure, the first of which are judged at once, and two more
}

TEST(Admission, KernelBenchsRuleIsReportedBeside) {
  TaskOracle oracle(1, [](const std::string&, int) { return std::vector<Values>{counted(1e-6, 1e-8)}; });
  oracle.add({"N01", "N01", "zeros", true}, constant(0));
  const AdmissionReport report = admitted(oracle);
  EXPECT_EQ(report.status, AdmissionStatus::kAdmitted);
  EXPECT_TRUE(report.nulls[0].kernelbench_takes_it);
}

TEST(Admission, AReportSurvivesItsJson) {
  TaskOracle oracle(1, counting);
  oracle.add({"N01", "N01", "zeros", true}, constant(0));
  oracle.add({"N10:3", "N10", "operator relu removed", false}, kRight);
  const AdmissionReport report = admitted(oracle);
  const auto again = admission_report_from_json(to_json(report));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->message(), report.message());
  EXPECT_EQ(to_json(*again)["nulls"], to_json(report)["nulls"]);
  EXPECT_FALSE(admission_report_from_json(Json{{"status", "splendid"}}).has_value());
}

}  // namespace
}  // namespace stitch::verify
