// SPDX-License-Identifier: Apache-2.0
#include "tuning/database/step_record.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"
#include "ir/text/parser.h"
#include "kernels/builtin_templates.h"
#include "tuning/database/database.h"

namespace stitch::tuning {
namespace {

// A convolution with an epilogue at `batch` images of `channels`, window `window`.
plan::Plan convolution(int batch, int channels, int window) {
  const std::string c = std::to_string(channels), n = std::to_string(batch), k = std::to_string(window);
  const std::string text = "graph g mode=eval\nx: f32[" + n + "," + c + ",32,32] = input \"x\"\nw: f32[64," + c + "," +
                           k + "," + k +
                           "] = parameter \"w\"\nc = conv2d(x, w, none; stride=[1,1], padding=[0,0], "
                           "dilation=[1,1], groups=1)\nr = relu(c)\nreturn output \"0\" = r\n";
  return plan::make_plan(ir::parse(text, "sample").value(), {}).value();
}

StepRecord main_record(const plan::Plan& plan) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (plan.steps[i].phase == plan::Phase::kRun) {
      return record_of(plan, i).value();
    }
  }
  return {};
}

TEST(StepRecord, AFamilyDiffersInLargeExtentsAlone) {
  const StepRecord one = main_record(convolution(32, 64, 3));
  EXPECT_FALSE(one.skeleton.empty());
  EXPECT_GT(one.modelled_us, 0);
  const StepRecord larger = main_record(convolution(64, 128, 3));
  EXPECT_EQ(one.skeleton, larger.skeleton);
  EXPECT_EQ(one.family, larger.family);
  EXPECT_NE(one.extents, larger.extents);
  EXPECT_NE(one.family, main_record(convolution(32, 64, 5)).family);  // another window
  EXPECT_NE(one.family, main_record(convolution(32, 65, 3)).family);  // rows are not aligned
  EXPECT_NE(one.family, main_record(convolution(8, 64, 3)).family);   // few images
  EXPECT_EQ(one.extents.front(), 32);
}

// What the record says is enough to ask the kernel again what it does.
TEST(StepRecord, IsTheStepAgain) {
  const plan::Plan plan = convolution(32, 64, 3);
  const StepRecord record = main_record(plan);
  const ir::Graph graph = ir::parse(record.graph, "record").value();
  const kernels::Group group = group_of(record, graph);
  const auto step = std::find_if(plan.steps.begin(), plan.steps.end(),
                                 [](const plan::Step& one) { return one.phase == plan::Phase::kRun; });
  const kernels::KernelTemplate* kernel = kernels::find_template(record.skeleton);
  ASSERT_TRUE(kernel->fits(group).ok);
  EXPECT_EQ(kernel->work(group, step->setting).flops, step->flops);
  EXPECT_EQ(
      plan::step_signature(group, record.skeleton),
      plan::step_signature(plan::step_group(plan, static_cast<size_t>(step - plan.steps.begin())), step->skeleton));
}

TEST(StepRecord, IsKeptWithTheTimes) {
  const TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-records").value();
  TuningDatabase database = TuningDatabase::open(folder.path() / "times.sqlite").value();
  const Context here{"NVIDIA H200", "nvcc 13.0", "fp32"};
  const StepRecord record{"gemm", "f1", {64, 32}, 12.5, "graph g", 3};
  ASSERT_TRUE(database.store(here, "known", {"a", 2}, {10, 0.1}).has_value());
  ASSERT_TRUE(database.store(here, "program", {"channels_last", 1}, {90, 0}).has_value());
  ASSERT_TRUE(database.describe("known", record).has_value());
  ASSERT_TRUE(database.describe("known", record).has_value());  // once more changes nothing
  const auto all = database.all().value();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].context.device, here.device);
  EXPECT_EQ(all[0].setting, (kernels::Setting{"a", 2}));
  ASSERT_TRUE(all[0].record.has_value());
  EXPECT_EQ(all[0].record->extents, record.extents);
  EXPECT_EQ(all[0].record->modelled_us, record.modelled_us);
  EXPECT_EQ(all[0].record->graph, record.graph);
  EXPECT_EQ(all[0].record->root, 3);
  EXPECT_FALSE(all[1].record.has_value());
}

}  // namespace
}  // namespace stitch::tuning
