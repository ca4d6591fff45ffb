// SPDX-License-Identifier: Apache-2.0
// Whole plans as text: which operators become which step, what is prepared, what is refused and why.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "base/testing/case_file.h"
#include "ir/text/parser.h"
#include "ir/validate/validate.h"
#include "plan/plan.h"

namespace stitch::plan {
namespace {

std::string names(const Plan& plan, const std::vector<int>& buffers) {
  std::string text;
  for (const int number : buffers) {
    const Buffer& buffer = plan.buffers[static_cast<size_t>(number)];
    const std::string place =
        buffer.whole.has_value() ? "in_" + plan.graph.value(*buffer.whole).name : to_string(buffer.kind);
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", buffer.name, place);
  }
  return text;
}

std::string described(const Plan& plan) {
  std::string text;
  for (const Step& step : plan.steps) {
    text += fmt::format("{} {} by {}: {} -> {}", step.phase == Phase::kPrepare ? "prepare" : "run", step.name,
                        step.skeleton, names(plan, step.operands), names(plan, step.results));
    text += step.kept_bytes == 0 ? "\n"
                                 : fmt::format(", keeps {} of {} prepared bytes from {} on\n", step.kept_bytes,
                                               plan.prepared_bytes, step.kept_offset);
  }
  return text;
}

// "plan on A100": for another device than the first one known.
PlanOptions options_of(const testing::CaseFile& file) {
  const std::string on = "plan on ";
  PlanOptions options;
  if (file.run.starts_with(on)) {
    options.limits = kernels::device_limits(file.run.substr(on.size())).value();
  }
  return options;
}

class PlanCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(PlanCase, IsCutAsExpected) {
  const auto file = testing::read_case(GetParam());
  ASSERT_TRUE(file.has_value()) << file.error().message;
  const auto graph = ir::parse(file->input, GetParam().filename().string());
  ASSERT_TRUE(graph.has_value()) << graph.error().message << " at " << graph.error().location;
  const auto plan = make_plan(*graph, options_of(*file));
  if (file->run == "refuse") {
    ASSERT_FALSE(plan.has_value());
    const std::string text = fmt::format("{}\nat {}\n", plan.error().message, plan.error().location);
    EXPECT_TRUE(testing::agrees(*file, text)) << "got:\n" << text;
    return;
  }
  ASSERT_TRUE(plan.has_value()) << plan.error().message << " at " << plan.error().location;
  EXPECT_TRUE(testing::agrees(*file, described(*plan))) << "got:\n" << described(*plan);
}

TEST_P(PlanCase, SurvivesItsText) {
  const auto file = testing::read_case(GetParam());
  ASSERT_TRUE(file.has_value());
  const auto graph = ir::parse(file->input, "case");
  const auto plan = make_plan(*graph, options_of(*file));
  if (!plan.has_value()) {
    return;  // a case of a refusal
  }
  const Json json = to_json(*plan);
  const auto again = from_json(json);
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(to_json(*again), json);
}

TEST_P(PlanCase, EachStepIsAProgramOfItsOwn) {
  const auto file = testing::read_case(GetParam());
  ASSERT_TRUE(file.has_value());
  const auto graph = ir::parse(file->input, "case");
  const auto plan = make_plan(*graph, options_of(*file));
  if (!plan.has_value()) {
    return;
  }
  for (int step = 0; step < static_cast<int>(plan->steps.size()); ++step) {
    const auto alone = step_graph(*plan, step);
    ASSERT_TRUE(alone.has_value()) << alone.error().message;
    const auto valid = ir::validate(*alone);
    EXPECT_TRUE(valid.has_value()) << valid.error().message;
    const auto planned = make_plan(*alone, {});
    EXPECT_TRUE(planned.has_value()) << planned.error().message;
    const auto as_it_is = step_plan(*plan, step);
    ASSERT_TRUE(as_it_is.has_value()) << as_it_is.error().message;
    EXPECT_EQ(as_it_is->steps.size(), 1u);
    EXPECT_EQ(as_it_is->steps[0].setting, plan->steps[static_cast<size_t>(step)].setting);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PlanCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/plan/testdata/plan")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

}  // namespace
}  // namespace stitch::plan
