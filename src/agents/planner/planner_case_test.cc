// SPDX-License-Identifier: Apache-2.0
// Graphs (input) to the expert's agent plan, or with an answer (given) to what is complained of in it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "agents/planner/check_plan.h"
#include "agents/planner/expert_planner.h"
#include "base/json/json.h"
#include "base/testing/case_file.h"
#include "ir/text/parser.h"

namespace stitch::agents {
namespace {

std::string shown(const std::variant<PlanVersion, Complaints>& read, const ir::Graph& graph) {
  const auto* plan = std::get_if<PlanVersion>(&read);
  const Complaints complaints = plan == nullptr ? std::get<Complaints>(read) : complaints_about(*plan, graph);
  std::string text;
  for (const std::string& each : complaints) {
    text += each + "\n";
  }
  return text.empty() ? "taken\n" : text;
}

std::string run_case(const testing::CaseFile& one) {
  const Result<ir::Graph> graph = ir::parse(one.input, "case");
  if (!graph.has_value()) {
    return graph.error().message;
  }
  if (one.run == "check") {
    return shown(agent_plan_from_text(one.given), *graph);
  }
  const Result<plan::Plan> plan = plan::make_plan(*graph, {});
  if (!plan.has_value()) {
    return plan.error().message;
  }
  return agent_plan_to_json(expert_agent_plan(*plan)).dump(1);
}

class PlannerCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(PlannerCase, ComesToWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, PlannerCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/agents/testdata/planner")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

// Whatever is cut into steps: the expert's answer is a plan that nothing is complained of, also as text between words.
TEST(ExpertPlanner, IsTakenForEveryPlanThatWeTest) {
  int plans = 0;
  for (const auto& path : testing::case_files(std::string(STITCH_SOURCE_DIR) + "/src/plan/testdata/plan")) {
    const auto file = testing::read_case(path);
    ASSERT_TRUE(file.has_value());
    const auto graph = ir::parse(file->input, "case");
    const auto plan = graph.has_value() ? plan::make_plan(*graph, {}) : Result<plan::Plan>(Unexpected{graph.error()});
    if (!plan.has_value()) {
      continue;  // a case of a refusal
    }
    const PlanVersion version = expert_agent_plan(*plan);
    const std::string answer = "I see {fusion} first.\n```json\n" + agent_plan_to_json(version).dump(2) + "\n```";
    EXPECT_EQ(shown(agent_plan_from_text(answer), plan->graph), "taken\n") << path;
    EXPECT_EQ(version.sub_tasks.size(), plan->steps.size());
    ++plans;
  }
  EXPECT_GT(plans, 15);
}

}  // namespace
}  // namespace stitch::agents
