// SPDX-License-Identifier: Apache-2.0
#include "tuning/choice/proven_settings.h"

#include <gtest/gtest.h>

#include <limits>

#include "ir/text/parser.h"

namespace stitch::tuning {
namespace {

constexpr const char* kLayerAndSoftmax = R"(graph g mode=eval
x: f32[1024,1024] = input "x"
w: f32[1024,1024] = parameter "w"
a = linear(x, w, none)
b = softmax(a; dim=1)
return output "0" = b
)";

class Proven : public ::testing::Test {
 protected:
  static plan::Plan planned(const plan::PlanOptions& options) {
    return plan::make_plan(ir::parse(kLayerAndSoftmax, "sample").value(), options).value();
  }
  std::string signature() const { return plan::step_signature(plan::step_group(plan_, 0), plan_.steps[0].skeleton); }
  const kernels::Setting& own() const { return plan_.steps[0].setting; }
  const kernels::Setting& other(size_t number) const { return plan_.steps[0].alternatives[number].setting; }
  // Of the first step.
  void is_known(const kernels::Setting& setting, double us, double spread = 0.002) {
    times_.push_back({setting, {us, spread}});
  }
  ProvenSettings proven() const {
    return proven_settings(plan_, [&](const std::string& step, const kernels::Setting& setting) {
      for (const auto& [known, measured] : times_) {
        if (step == signature() && known == setting) {
          return std::optional(measured);
        }
      }
      return std::optional<Measurement>{};
    });
  }
  kernels::Setting taken() const { return proven().of_steps.at(signature()); }

  const plan::Plan plan_ = planned({});
  std::vector<std::pair<kernels::Setting, Measurement>> times_;
};

TEST_F(Proven, WhatIsMeasuredFasterTakesThePlace) {
  is_known(own(), 100);
  is_known(other(0), 90);
  is_known(other(2), 80);
  EXPECT_EQ(taken(), other(2));
  EXPECT_EQ(proven().replaced, 1);
  EXPECT_EQ(proven().of_steps.size(), plan_.steps.size());  // of the other step its own
}

TEST_F(Proven, NothingIsProvenByAnEstimateOrWithoutATimeOfTheOwn) {
  is_known(own(), 100000);  // whatever the estimates of others
  EXPECT_EQ(taken(), own());
  times_.clear();
  is_known(other(0), 0.001);
  EXPECT_EQ(taken(), own());
  EXPECT_EQ(proven().replaced, 0);
}

TEST_F(Proven, WithinWhatTimesVaryByTheOwnStays) {
  is_known(own(), 100);
  is_known(other(0), 98.5);
  EXPECT_EQ(taken(), own());
  times_.clear();
  is_known(own(), 100, 0.08);  // its own times lie far apart
  is_known(other(0), 93);
  EXPECT_EQ(taken(), own());
}

TEST_F(Proven, OneThatDoesNotRunLoses) {
  is_known(own(), std::numeric_limits<double>::infinity());
  is_known(other(0), 1e6);
  EXPECT_EQ(taken(), other(0));
  times_.clear();
  is_known(own(), 100);
  is_known(other(0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(taken(), own());
}

TEST_F(Proven, ThePlanIsMadeAgainWithTheseAlone) {
  is_known(own(), 100);
  is_known(other(1), 50);
  plan::PlanOptions options;
  options.measured = only_these(proven());
  options.form = {plan_.form.layout, plan_.form.style};
  const plan::Plan again = planned(options);
  EXPECT_TRUE(are_same_steps(again, plan_));
  EXPECT_FALSE(is_same_work(again, plan_));
  EXPECT_EQ(again.steps[0].setting, other(1));
  EXPECT_EQ(again.steps[1].setting, plan_.steps[1].setting);
  EXPECT_NE(setting_of_whole(again), setting_of_whole(plan_));
  EXPECT_TRUE(is_of_whole(setting_of_whole(again)));
  EXPECT_FALSE(is_of_whole(plan::setting_of(again.form)));
  options.measured = only_these({});
  EXPECT_TRUE(is_same_work(planned(options), plan_));
  EXPECT_EQ(setting_of_whole(planned(options)), setting_of_whole(plan_));
}

}  // namespace
}  // namespace stitch::tuning
