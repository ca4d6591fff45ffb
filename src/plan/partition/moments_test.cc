// SPDX-License-Identifier: Apache-2.0
// When convolutions take the statistics of norms behind them, and that plans of other sizes keep it.
#include "plan/partition/moments.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/text/parser.h"
#include "plan/plan.h"

namespace stitch::plan {
namespace {

using Skeletons = std::vector<std::string>;

Result<Plan> planned(const std::string& text, const PlanOptions& options = {}) {
  return make_plan(ir::parse(text, "sample").value(), options);
}

Skeletons skeletons_of(const Result<Plan>& plan) {
  Skeletons names;
  for (const Step& step : plan.value().steps) {
    names.push_back(step.skeleton);
  }
  return names;
}

// A trained batch norm with its states, of few channels and pictures of this size.
std::string batch_norm(int batch, int size) {
  return fmt::format(
      "graph g mode=train\nx: f32[{0},8,{1},{1}] = input \"x\"\nw: f32[64,8,3,3] = parameter \"w\"\n"
      "m: f32[64] = state \"m\"\nv: f32[64] = state \"v\"\n"
      "c = conv2d(x, w, none; stride=[1,1], padding=[0,0], dilation=[1,1], groups=1)\n"
      "y, ym, yd, nm, nv = batch_norm(c, none, none, m, v; training=true, momentum=0.1, eps=1e-05)\n"
      "return output \"0\" = y, state \"m\" = nm, state \"v\" = nv\n",
      batch, size);
}

const Skeletons kTogether = {"convolution_moments", "pointwise"};

PlanOptions like(const Result<Plan>& plan) {
  PlanOptions options;
  options.like = &plan.value();
  return options;
}

TEST(Moments, ConvolutionsOfLargePicturesTakeThem) {
  EXPECT_EQ(skeletons_of(planned(batch_norm(128, 128))), kTogether);
  EXPECT_NE(skeletons_of(planned(batch_norm(1, 20))), kTogether);
}

TEST(Moments, APlanLikeAnotherIsCutAsThatIs) {
  const auto large = planned(batch_norm(128, 128));
  const auto small = planned(batch_norm(1, 20));
  EXPECT_EQ(skeletons_of(planned(batch_norm(1, 20), like(large))), kTogether);
  EXPECT_EQ(skeletons_of(planned(batch_norm(128, 128), like(small))), skeletons_of(small));
}

TEST(Moments, LibrariesTakeNone) {
  PlanOptions options;
  options.form.style = Style::kByLibraries;
  EXPECT_NE(skeletons_of(planned(batch_norm(128, 128), options)), kTogether);
}

// Whole rows need instructions that an A100 lacks.
TEST(Moments, OtherDevicesTakeThemByWhatTheyHave) {
  PlanOptions options;
  options.limits = kernels::device_limits("A100").value();
  const auto plan = planned(batch_norm(128, 128), options);
  EXPECT_EQ(skeletons_of(plan), kTogether);
  EXPECT_EQ(plan.value().steps[0].setting.variant.rfind("direct_fp16x3_", 0), 0u);
}

// What was measured counts: here the two apart.
TEST(Moments, MeasuredTimesDecide) {
  PlanOptions options;
  options.measured = [](const std::string&, const Setting& setting) {
    return setting.variant.starts_with("direct_") ? std::optional(1e5) : std::optional(1.0);
  };
  EXPECT_NE(skeletons_of(planned(batch_norm(128, 128), options)), kTogether);
}

// Rows of eight channels of an image, half a megabyte each and more than a block keeps.
std::string group_norm(const std::string& second_reader) {
  return "graph g mode=eval\nx: f32[128,3,16,32,32] = input \"x\"\nw: f32[3,16,3,3,3] = parameter \"w\"\n"
         "c = conv_transpose3d(x, w, none; stride=[2,2,2], padding=[1,1,1], output_padding=[0,0,0], dilation=[1,1,1], "
         "groups=1)\nr = reshape(c; shape=[128,4,492156])\n"
         "n = layer_norm(r, none, none; normalized_shape=[492156], eps=1e-05)\n"
         "y = reshape(n; shape=[128,16,31,63,63])\n" +
         second_reader;
}

TEST(Moments, NormsOfWholeChannelsAreOneStep) {
  PlanOptions options;
  options.math = MathMode::kReduced;
  EXPECT_EQ(skeletons_of(planned(group_norm("return output \"0\" = y\n"), options)), Skeletons{"normed_convolution"});
  // What the convolution makes is an output, too.
  const auto read_twice = skeletons_of(planned(group_norm("return output \"0\" = y, output \"1\" = c\n"), options));
  EXPECT_EQ(read_twice, (Skeletons{"convolution", "layer_norm"}));
}

}  // namespace
}  // namespace stitch::plan
