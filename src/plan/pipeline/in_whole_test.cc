// SPDX-License-Identifier: Apache-2.0
// Parts of concatenations that their makers write in place: with every setting, the code of a step alone is that of the
// step in its program, and a setting that cannot store that way leaves its part to be copied.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/json/json.h"
#include "ir/text/parser.h"
#include "kernels/builtin_templates.h"
#include "plan/plan.h"

namespace stitch::plan {
namespace {

constexpr const char* kProgram = R"(graph g mode=eval
x: f32[3,12,10,14] = input "x"
w: f32[16,12,1,1] = parameter "w"
v: f32[8,12,3,3] = parameter "v"
b: f32[8] = parameter "b"
u: f32[5,12,3,3] = parameter "u"
m: f32[14,14] = parameter "m"
p = conv2d(x, w, none; stride=[1,1], padding=[0,0], dilation=[1,1], groups=1)
p1 = relu(p)
q = conv2d(x, v, b; stride=[1,1], padding=[1,1], dilation=[1,1], groups=1)
q1 = tanh(q)
r = conv2d(x, u, none; stride=[1,1], padding=[1,1], dilation=[1,1], groups=1)
s = max_pool2d(x; kernel_size=[3,3], stride=[1,1], padding=[1,1], dilation=[1,1], ceil_mode=false)
t = softmax(x; dim=1)
l = linear(x, m, none)
k = cumsum(x; dim=2)
c = cat(p1, q1, r, s, t, l, k; dim=1)
return output "0" = c
)";

const Step* step_making(const Plan& plan, const std::string& name) {
  for (const Step& step : plan.steps) {
    for (const int result : step.results) {
      if (plan.buffers[static_cast<size_t>(result)].name == name) {
        return &step;
      }
    }
  }
  return nullptr;
}

bool is_placed(const Plan& plan, const std::string& name) {
  return std::any_of(plan.buffers.begin(), plan.buffers.end(),
                     [&](const Buffer& buffer) { return buffer.name == name && buffer.whole.has_value(); });
}

bool has_same_code_alone(const Plan& plan, size_t index) {
  const auto alone = step_plan(plan, static_cast<int>(index));
  if (!alone.has_value()) {
    return false;
  }
  const Step& step = plan.steps[index];
  const kernels::KernelTemplate* kernel = kernels::find_template(step.skeleton);
  auto there = kernel->draft(step_group(plan, index), step.setting);
  auto here = kernel->draft(step_group(*alone, 0), step.setting);
  if (!there.has_value() || !here.has_value()) {
    return false;
  }
  for (kernels::StepDraft* draft : {&there.value(), &here.value()}) {
    for (kernels::NamedTensor& tensor : draft->tensors) {
      tensor.value = {};
    }
  }
  return kernels::is_same_code(there.value(), here.value());
}

Plan planned(MathMode math) {
  const auto graph = ir::parse(kProgram, "test");
  EXPECT_TRUE(graph.has_value()) << graph.error().message;
  PlanOptions options;
  options.math = math;
  auto plan = make_plan(*graph, options);
  EXPECT_TRUE(plan.has_value()) << plan.error().message;
  return std::move(plan).value();
}

TEST(InWhole, EachMakerWritesItsSlice) {
  const Plan plan = planned(MathMode::kFp32);
  const double part_bytes = 3.0 * 10 * 14 * sizeof(float);
  for (const char* part : {"p1", "q1", "s", "t", "l", "k"}) {
    EXPECT_TRUE(is_placed(plan, part)) << part;
  }
  const Step& cat = plan.steps.back();
  EXPECT_EQ(cat.setting.variant, "parts_in_place");
  // Five channels are left to a library.
  EXPECT_EQ(cat.bytes_min, is_placed(plan, "r") ? 0 : 2 * 5 * part_bytes);
}

TEST(InWhole, EverySettingHasOneTextOrLeavesItsPartToACopy) {
  int count = 0;
  for (const MathMode math : {MathMode::kFp32, MathMode::kReduced}) {
    const Plan plan = planned(math);
    for (const char* part : {"p1", "q1", "r", "s", "t", "l", "k"}) {
      const Step* maker = step_making(plan, part);
      ASSERT_NE(maker, nullptr);
      const auto index = static_cast<size_t>(maker - plan.steps.data());
      for (const Alternative& other : maker->alternatives) {
        const auto changed = with_setting(plan, index, other.setting);
        ASSERT_TRUE(changed.has_value()) << other.setting.variant << changed.error().message;
        EXPECT_TRUE(has_same_code_alone(*changed, index)) << part << other.setting.variant;
        const auto again = from_json(to_json(*changed));
        EXPECT_TRUE(again.has_value()) << again.error().message;
        ++count;
      }
    }
  }
  EXPECT_GT(count, 40);
}

}  // namespace
}  // namespace stitch::plan
