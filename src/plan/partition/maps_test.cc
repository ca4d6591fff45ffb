// SPDX-License-Identifier: Apache-2.0
// When convolutions map what they read, and that plans of other sizes keep it.
#include "plan/partition/maps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/text/parser.h"
#include "plan/plan.h"

namespace stitch::plan {
namespace {

using KernelNames = std::vector<std::string>;

PlanOptions rounding_options() {
  PlanOptions options;
  options.math = MathMode::kKernelBench;
  return options;
}

Result<Plan> mapped_plan(const std::string& text, const PlanOptions& options = rounding_options()) {
  return make_plan(ir::parse(text, "sample").value(), options);
}

KernelNames kernels_of(const Result<Plan>& plan) {
  KernelNames names;
  for (const Step& step : plan.value().steps) {
    names.push_back(step.skeleton);
  }
  return names;
}

// What is mapped is read by a convolution, and by `also`.
std::string norm_in_front(int batch, int size, const std::string& also = "", const std::string& outputs = "") {
  return fmt::format(
      "graph g mode=eval\nx: f32[{0},64,{1},{1}] = input \"x\"\nw: f32[64,64,1,1] = parameter \"w\"\n"
      "s: f32[64,1,1] = parameter \"s\"\nt: f32[64,1,1] = parameter \"t\"\n"
      "a = mul(x, s)\nb = add(a, t)\nr = relu(b)\n"
      "y = conv2d(r, w, none; stride=[1,1], padding=[0,0], dilation=[1,1], groups=1)\n{2}"
      "return output \"0\" = y{3}\n",
      batch, size, also, outputs);
}

const KernelNames kAtOnce = {"mapped_convolution"};

PlanOptions as_in(const Result<Plan>& plan) {
  PlanOptions options = rounding_options();
  options.like = &plan.value();
  return options;
}

TEST(Maps, AreDoneByTheConvolutionThatReadsThem) { EXPECT_EQ(kernels_of(mapped_plan(norm_in_front(64, 56))), kAtOnce); }

TEST(Maps, StayStepsWhereOthersReadThem) {
  EXPECT_NE(kernels_of(mapped_plan(norm_in_front(64, 56, "", ", output \"1\" = r"))), kAtOnce);
  EXPECT_NE(kernels_of(mapped_plan(
                norm_in_front(64, 56,
                              "p = max_pool2d(r; kernel_size=[2,2], stride=[2,2], padding=[0,0], dilation=[1,1], "
                              "ceil_mode=false)\n",
                              ", output \"1\" = p")))[0],
            "mapped_convolution");
}

// The new value of a state may be written over the old one, which is read meanwhile.
TEST(Maps, StayStepsWhereTheConvolutionWritesWhatTheyRead) {
  const auto plan = mapped_plan(
      "graph g mode=eval\nx: f32[64,64,56,56] = state \"x\"\nw: f32[64,64,1,1] = parameter \"w\"\nr = relu(x)\n"
      "y = conv2d(r, w, none; stride=[1,1], padding=[0,0], dilation=[1,1], groups=1)\n"
      "return output \"0\" = y, state \"x\" = y\n");
  EXPECT_EQ(plan.value().steps[0].skeleton, "pointwise");
}

// Of one tap; what is rounded nowhere has no windows in registers.
TEST(Maps, AreDoneWhereNothingRoundsToo) { EXPECT_EQ(kernels_of(mapped_plan(norm_in_front(64, 56), {})), kAtOnce); }

TEST(Maps, StayStepsOnOlderDevices) {
  PlanOptions older = rounding_options();
  older.limits = kernels::device_limits("A100").value();
  EXPECT_NE(kernels_of(mapped_plan(norm_in_front(64, 56), older)), kAtOnce);
}

TEST(Maps, APlanLikeAnotherMapsWhereThatDoes) {
  PlanOptions by_libraries = rounding_options();
  by_libraries.form.style = Style::kByLibraries;
  const auto apart = mapped_plan(norm_in_front(64, 56), by_libraries);
  EXPECT_NE(kernels_of(apart), kAtOnce);
  EXPECT_NE(kernels_of(mapped_plan(norm_in_front(64, 56), as_in(apart))), kAtOnce);
  const auto together = mapped_plan(norm_in_front(64, 56));
  EXPECT_EQ(kernels_of(mapped_plan(norm_in_front(1, 7), as_in(together))), kAtOnce);
}

// What was measured counts: here the two apart.
TEST(Maps, MeasuredTimesOfBothDecide) {
  PlanOptions options = rounding_options();
  options.measured = [](const std::string&, const Setting& setting) {
    return setting.variant.starts_with("pointwise_wgmma") ? std::optional(1e5) : std::optional(1.0);
  };
  EXPECT_NE(kernels_of(mapped_plan(norm_in_front(64, 56), options)), kAtOnce);
}

}  // namespace
}  // namespace stitch::plan
