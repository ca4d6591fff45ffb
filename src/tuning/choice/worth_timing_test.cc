// SPDX-License-Identifier: Apache-2.0
#include "tuning/choice/worth_timing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "ir/text/parser.h"
#include "plan/cost/fitted.h"

namespace stitch::tuning {
namespace {

// Two layers that are alike, a third that is not, and pointwise work too short to matter. Between layers stands what
// keeps their weights from being multiplied beforehand.
constexpr const char* kProgram = R"(graph g mode=eval
x: f32[1024,1024] = input "x"
small: f32[8] = input "small"
w1: f32[1024,1024] = parameter "w1"
w2: f32[1024,1024] = parameter "w2"
w3: f32[256,1024] = parameter "w3"
a = linear(x, w1, none)
p = relu(a)
b = linear(p, w2, none)
q = relu(b)
c = linear(q, w3, none)
s = mul(small, 2.0)
return output "0" = c, output "1" = s
)";

plan::Plan planned(const plan::PlanOptions& options) {
  return plan::make_plan(ir::parse(kProgram, "sample").value(), options).value();
}

std::map<size_t, std::vector<std::string>> by_step(const std::vector<Trial>& trials) {
  std::map<size_t, std::vector<std::string>> result;
  for (const Trial& trial : trials) {
    result[trial.step].push_back(trial.setting.variant);
  }
  return result;
}

TEST(WorthTiming, StepsThatAreAlikeOrShortAreLeftOut) {
  const plan::Plan plan = planned({});
  const auto trials = by_step(worth_timing(plan, {.min_share = 0.03}, false));
  ASSERT_EQ(trials.size(), 2U);  // of four steps
  for (const auto& [step, variants] : trials) {
    EXPECT_EQ(plan.steps[step].skeleton, "gemm");
    EXPECT_GE(variants.size(), 2U);
    EXPECT_LE(variants.size(), TrialLimits{}.settings_per_step);
    EXPECT_EQ(variants[0], plan.steps[step].setting.variant);  // what would be taken unmeasured is tried first
  }
}

// Times from elsewhere may have chosen what no estimate would.
TEST(WorthTiming, WhatWasChosenIsTriedFirstWhateverItsEstimate) {
  const plan::Plan plan = planned({});
  const auto slowest = std::max_element(
      plan.steps[0].alternatives.begin(), plan.steps[0].alternatives.end(),
      [](const plan::Alternative& a, const plan::Alternative& b) { return a.estimated_us < b.estimated_us; });
  ASSERT_GT(slowest->estimated_us, TrialLimits{}.within * plan.steps[0].estimated_us);
  const kernels::Setting setting = slowest->setting;
  plan::PlanOptions options;
  options.measured = [&](const std::string&, const kernels::Setting& one) {
    return one == setting ? std::optional(0.01) : std::nullopt;
  };
  const auto trials = worth_timing(planned(options), {}, false);
  const auto of_first = std::find_if(trials.begin(), trials.end(), [](const Trial& trial) { return trial.step == 0; });
  ASSERT_NE(of_first, trials.end());
  EXPECT_EQ(of_first->setting, setting);
}

TEST(WorthTiming, LibrariesComeOnTopOfOurOwn) {
  const plan::Plan plan = planned({.math = MathMode::kTf32});
  const auto without = worth_timing(plan, {}, false);
  const auto with = worth_timing(plan, {}, true);
  const auto libraries = std::count_if(
      with.begin(), with.end(), [](const Trial& trial) { return trial.setting.variant.starts_with("cublaslt_tf32"); });
  EXPECT_EQ(libraries, 4);  // two ways for each of two steps
  EXPECT_EQ(with.size(), without.size() + 4);
}

// A budget that ends early has seen what the plan would take unmeasured, and its best rivals, whoever computes them.
TEST(WorthTiming, ThePlansOwnSettingComesFirstThenTheBestOfTheOtherSideThenThoseOfEachKindByEstimate) {
  const plan::Plan plan = planned({.math = MathMode::kTf32});
  const auto trials = worth_timing(plan, {}, true);
  const plan::Step& step = plan.steps[trials.front().step];
  EXPECT_EQ(trials.front().setting, step.setting);
  EXPECT_EQ(trials.front().setting.variant, "cublaslt_tf32");
  std::vector<std::pair<bool, double>> places;  // whether it is one more of its kind, and its estimate
  std::set<std::string_view> kinds;
  bool is_second = true;
  for (const Trial& trial : trials) {
    const auto rival = std::find_if(step.alternatives.begin(), step.alternatives.end(),
                                    [&](const plan::Alternative& one) { return one.setting == trial.setting; });
    if (trial.step != trials.front().step || rival == step.alternatives.end()) {
      continue;
    }
    if (is_second) {
      EXPECT_FALSE(trial.setting.variant.starts_with("cublaslt")) << "our own beside a library's";
    } else {
      const std::string_view kind = plan::kind_of_variant(trial.setting.variant);
      places.emplace_back(kinds.contains(kind), rival->estimated_us);
    }
    kinds.insert(plan::kind_of_variant(rival->setting.variant));
    is_second = false;
  }
  EXPECT_GE(places.size(), 2U);
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
}

// Few input channels of volumes: ordinary pipes and tensor cores are close to each other (of eight, 6,861 and 6,901 us
// on an H200), and a budget may end after four.
TEST(WorthTiming, WhatIsTriedIsOfSeveralKinds) {
  const plan::Plan plan = plan::make_plan(ir::parse(R"(graph g mode=eval
x: f32[128,9,16,64,64] = input "x"
w: f32[64,9,3,3,3] = parameter "w"
y = conv3d(x, w, none; stride=[1,1,1], padding=[0,0,0], dilation=[1,1,1], groups=1)
z = tanh(y)
return output "0" = z
)",
                                                    "sample")
                                              .value(),
                                          {.math = MathMode::kFp32})
                              .value();
  std::set<std::string_view> kinds;
  const auto trials = worth_timing(plan, {}, false);
  for (const Trial& trial : trials) {
    kinds.insert(plan::kind_of_variant(trial.setting.variant));
  }
  EXPECT_LE(trials.size(), TrialLimits{}.settings_per_step);
  EXPECT_TRUE(kinds.contains("direct") && kinds.contains("direct_tf32x3"));
}

// Forty layers alike, none of which takes a thirtieth: together they are most of the program, and are timed once.
TEST(WorthTiming, EqualStepsCountTogether) {
  constexpr int kLayers = 40;
  std::string text = R"(graph g mode=eval
x: f32[512,512] = input "x"
y: f32[2048,512] = input "y"
)";
  std::string last = "x";
  for (int layer = 0; layer < kLayers; ++layer) {
    text += fmt::format("w{0}: f32[512,512] = parameter \"w{0}\"\n", layer);
  }
  for (int layer = 0; layer < kLayers; ++layer) {
    text += fmt::format("a{0} = linear({1}, w{0}, none)\nr{0} = relu(a{0})\n", layer, last);
    last = fmt::format("r{}", layer);
  }
  text += fmt::format("b = linear(y, w0, none)\nreturn output \"0\" = {}, output \"1\" = b\n", last);
  const plan::Plan plan = plan::make_plan(ir::parse(text, "deep").value(), {}).value();
  const auto trials = worth_timing(plan, {.min_share = 0.1}, false);
  const auto variants = by_step(trials);
  ASSERT_EQ(variants.size(), 1U);
  const plan::Step& step = plan.steps[variants.begin()->first];
  EXPECT_EQ(step.skeleton, "gemm");
  EXPECT_LT(step.estimated_us, plan::expected_us(plan) / 30);
  EXPECT_GE(trials.size(), 2U);
}

// The first two of every step that matters, before the last of the dearest.
TEST(WorthTiming, ASmallerStepHasItsTurnBeforeTheLastRivalsOfTheDearest) {
  plan::Plan plan = planned({.math = MathMode::kTf32});
  const auto trials = worth_timing(plan, {}, true);
  const size_t dearest = trials.front().step;
  const auto other = std::find_if(trials.begin(), trials.end(), [&](const Trial& one) { return one.step != dearest; });
  ASSERT_NE(other, trials.end());
  EXPECT_GE(other - trials.begin(), 2);
  const double share = plan.steps[other->step].estimated_us / (2 * plan.steps[dearest].estimated_us);  // two alike
  const auto before = static_cast<double>(other - trials.begin()) - 1;  // rivals of the dearest
  EXPECT_GE(1 / before, share);
  EXPECT_LE(1 / (before + 1), share);
}

plan::Plan with_times(const std::string& signature, const std::map<std::string, double>& times) {
  plan::PlanOptions options{.math = MathMode::kTf32};
  options.measured = [&](const std::string& asked, const kernels::Setting& setting) -> std::optional<double> {
    const auto found = times.find(setting.variant);
    return asked == signature && found != times.end() ? std::optional(found->second) : std::nullopt;
  };
  return planned(options);
}

TEST(WorthTiming, PlansChooseByMeasuredTimes) {
  const plan::Plan estimated = planned({.math = MathMode::kTf32});
  const Trial trial = worth_timing(estimated, {}, true).front();
  const plan::Plan measured = with_times(trial.signature, {{"cublaslt_tf32_then", 11.0}, {"tf32_32x64", 9.5}});
  EXPECT_EQ(measured.steps[trial.step].setting.variant, "tf32_32x64");
  EXPECT_EQ(measured.steps[trial.step].measured_us, 9.5);
  EXPECT_EQ(measured.steps[trial.step].alternatives[0].setting.variant, "cublaslt_tf32_then");
}

// An estimate must be clearly better than what was measured: the best of many is mostly one that is too good.
TEST(WorthTiming, WhatNobodyMeasuredBeatsAMeasuredTimeWhereItIsClearlyBetter) {
  const plan::Plan estimated = planned({.math = MathMode::kTf32});
  const Trial trial = worth_timing(estimated, {}, true).front();
  const double best_us = estimated.steps[trial.step].estimated_us;
  const plan::Plan slow = with_times(trial.signature, {{"tf32_32x64", 3 * best_us}});
  EXPECT_EQ(slow.steps[trial.step].setting, trial.setting);
  EXPECT_FALSE(slow.steps[trial.step].measured_us.has_value());
  const plan::Plan alike = with_times(trial.signature, {{"tf32_32x64", 1.1 * best_us}});
  EXPECT_EQ(alike.steps[trial.step].setting.variant, "tf32_32x64");
}

// What nobody measured is chosen by estimate, libraries too where they are clearly better; they can be asked for
// against it, or left out.
TEST(WorthTiming, PlansTakeLibrariesByEstimateOrAsAskedFor) {
  const plan::Plan estimated = planned({.math = MathMode::kTf32});
  const Trial trial = worth_timing(estimated, {}, true).front();
  const plan::Step& step = estimated.steps[trial.step];
  EXPECT_EQ(step.setting.variant, "cublaslt_tf32");
  for (const plan::Alternative& other : step.alternatives) {
    EXPECT_LE(step.estimated_us, other.estimated_us);
  }
  const plan::Plan exact = planned({});
  EXPECT_FALSE(exact.steps[trial.step].setting.variant.starts_with("cublaslt"));
  const plan::Plan wanted = planned({.libraries = plan::Libraries::kOn});
  EXPECT_TRUE(wanted.steps[trial.step].setting.variant.starts_with("cublaslt"));
  const plan::Plan without = planned({.math = MathMode::kTf32, .libraries = plan::Libraries::kOff});
  for (const plan::Alternative& other : without.steps[trial.step].alternatives) {
    EXPECT_FALSE(other.setting.variant.starts_with("cublaslt"));
  }
}

TEST(WorthTiming, SignaturesKnowShapesAndNotNames) {
  const plan::Plan plan = planned({});
  std::set<std::string> signatures;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    signatures.insert(plan::step_signature(plan::step_group(plan, i), plan.steps[i].skeleton));
  }
  EXPECT_EQ(plan.steps.size(), 4U);
  EXPECT_EQ(signatures.size(), 3U);
}

}  // namespace
}  // namespace stitch::tuning
