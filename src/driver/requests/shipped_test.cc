// SPDX-License-Identifier: Apache-2.0
// Plans by times that are made up: which settings they choose, and of what they say nothing.
#include "driver/time/shipped.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "driver/requests/stages.h"

namespace stitch::driver {
namespace {

std::string linear(int rows) {
  const std::string n = std::to_string(rows);
  return "graph g mode=eval\nx: f32[" + n + ",256] = input \"x\"\nw: f32[512,256] = parameter \"w\"\nh: f32[" + n +
         ",512] = linear(x, w, none)\nreturn output \"0\" = h\n--- batch fixed: it is\n";
}

class HeardFacts final : public Progress {
 public:
  std::string all;

  void fact(const std::string& stage, const std::string& message) override { all += stage + ": " + message + "\n"; }

 private:
  int begin(const std::string&, const std::string&) override { return 0; }
  void say(int, const std::string&, const std::string&) override {}
  void hint(int, const std::string&, const std::string&) override {}
  void end(int) override {}
};

class PlanByShipped : public ::testing::Test {
 protected:
  Result<plan::Plan> planned(int rows, const std::string& times = "") {
    EXPECT_TRUE(write_file(folder_.path() / "graph.ir", linear(rows)).has_value());
    Options options;
    if (!times.empty()) {
      options.tuning_database = folder_.path() / "times.txt";
      EXPECT_TRUE(write_file(options.tuning_database, times).has_value());
    }
    heard_.all.clear();
    const Services services{{.root = STITCH_SOURCE_DIR, .programs = {}, .python = {}}, heard_};
    return plan_stage({folder_.path() / "graph.ir", MathMode::kFp32, options}, services);
  }

  // Times of the step at 64 rows: `fast` is the fastest, what an estimate would choose is slow.
  std::string times_of(const plan::Setting& fast, const std::string& device = "NVIDIA H200") {
    const plan::Plan plan = planned(64).value();
    const tuning::StepRecord record = tuning::record_of(plan, 0).value();
    const std::string signature = plan::step_signature(plan::step_group(plan, 0), plan.steps[0].skeleton);
    return tuning::to_text({{device,
                             "fp32",
                             record.skeleton,
                             record.family,
                             signature.substr(0, tuning::kSignatureDigits),
                             record.modelled_us,
                             record.extents,
                             {{fast, {0.01, 0}}, {plan.steps[0].setting, {900, 0}}}}});
  }

  plan::Setting another() { return planned(64)->steps[0].alternatives.back().setting; }

  TemporaryDirectory folder_ = TemporaryDirectory::make("stitchcuda-shipped-test").value();
  HeardFacts heard_;
};

TEST_F(PlanByShipped, TheSameStepTakesItsFastestSetting) {
  const plan::Setting fast = another();
  const std::string times = times_of(fast);
  const plan::Plan plan = planned(64, times).value();
  EXPECT_EQ(plan.steps[0].setting, fast);
  EXPECT_EQ(plan.steps[0].measured_us, 0.01);
  EXPECT_EQ(heard_.all, "times: times.txt: times of 1 of 1 steps, of 0 more by a similar step\n");
}

TEST_F(PlanByShipped, ASimilarStepTakesItTooAndClaimsNoTime) {
  const plan::Setting fast = another();
  const std::string times = times_of(fast);
  const plan::Plan plan = planned(96, times).value();
  EXPECT_EQ(plan.steps[0].setting, fast);
  EXPECT_FALSE(plan.steps[0].measured_us.has_value());
  for (const plan::Alternative& other : plan.steps[0].alternatives) {
    EXPECT_FALSE(other.measured_us.has_value());
  }
  EXPECT_EQ(heard_.all, "times: times.txt: times of 0 of 1 steps, of 1 more by a similar step\n");
  EXPECT_EQ(planned(640, times)->steps[0].setting, planned(640)->steps[0].setting);  // that is too far
}

TEST_F(PlanByShipped, ASettingThatIsNoMoreIsSkipped) {
  const std::string times = times_of({"gone_64x64", 1});
  const plan::Plan plan = planned(64, times).value();
  EXPECT_NE(plan.steps[0].setting.variant, "gone_64x64");
  EXPECT_NE(plan.steps[0].setting, planned(64)->steps[0].setting);  // which is listed as slow
}

TEST_F(PlanByShipped, TimesOfOtherDevicesSayNothing) {
  const std::string times = times_of(another(), "NVIDIA A100");
  EXPECT_EQ(planned(64, times)->steps[0].setting, planned(64)->steps[0].setting);
  EXPECT_EQ(heard_.all, "");
}

TEST_F(PlanByShipped, WhatIsNoTextIsAnError) {
  const auto plan = planned(64, "SQLite format 3");
  ASSERT_FALSE(plan.has_value());
  EXPECT_NE(plan.error().remedy.find("tune export"), std::string::npos);
}

TEST_F(PlanByShipped, ATextThatIsDamagedIsAnError) {
  const auto plan = planned(64, "stitchcuda.times/1\nnonsense\n");
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().code, ErrorCode::kFileInvalid);
}

}  // namespace
}  // namespace stitch::driver
