// SPDX-License-Identifier: Apache-2.0
// Graphs (input) to the plans by rule; or with an answer (given) to what is complained of in it, or what it promises.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "agents/planner/check_plan.h"
#include "agents/planner/expert_planner.h"
#include "agents/planner/joined_plan.h"
#include "agents/planner/plan_cost.h"
#include "base/json/json.h"
#include "base/testing/case_file.h"
#include "ir/text/parser.h"

namespace stitch::agents {
namespace {

std::string shown(const Complaints& complaints) {
  std::string text;
  for (const std::string& each : complaints) {
    text += each + "\n";
  }
  return text.empty() ? "taken\n" : text;
}

std::string shown(const std::variant<std::vector<PlanVersion>, Complaints>& read, const ir::Graph& graph) {
  const auto* plans = std::get_if<std::vector<PlanVersion>>(&read);
  if (plans == nullptr) {
    return shown(std::get<Complaints>(read));
  }
  std::string text;
  for (const PlanVersion& each : *plans) {
    text += shown(complaints_about(each, graph));
  }
  return text;
}

// What each plan of an answer promises by the cost model.
std::string costs(const std::string& answer, const plan::Plan& expert) {
  std::string text = fmt::format("the expert's plan: {:.3f} us\n", expert.modelled_us);
  const auto read = agent_plans_from_text(answer);
  if (const auto* complaints = std::get_if<Complaints>(&read); complaints != nullptr) {
    return text + shown(*complaints);
  }
  for (const PlanVersion& each : std::get<std::vector<PlanVersion>>(read)) {
    const auto cost = plan_cost(each, expert);
    const auto* known = std::get_if<PlanCost>(&cost);
    text += known == nullptr ? shown(std::get<Complaints>(cost))
                             : fmt::format("{}: {:.3f} us, floors {:.3f}\n", each.summary, known->modelled_us,
                                           fmt::join(known->floors_us, " "));
  }
  return text;
}

std::string run_case(const testing::CaseFile& one) {
  const Result<ir::Graph> graph = ir::parse(one.input, "case");
  if (!graph.has_value()) {
    return graph.error().message;
  }
  if (one.run == "check") {
    return shown(agent_plans_from_text(one.given), *graph);
  }
  const Result<plan::Plan> plan = plan::make_plan(*graph, {});
  if (!plan.has_value()) {
    return plan.error().message;
  }
  if (one.run == "joined") {
    const std::optional<PlanVersion> joined = joined_plan(*plan, [](const SubTask&) { return true; });
    return joined.has_value() ? agent_plan_to_json(*joined).dump(1) : "none\n";
  }
  return one.run == "cost" ? costs(one.given, *plan) : agent_plan_to_json(expert_agent_plan(*plan)).dump(1);
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
    EXPECT_EQ(shown(agent_plans_from_text(answer), plan->graph), "taken\n") << path;
    const auto steps = std::count_if(version.sub_tasks.begin(), version.sub_tasks.end(),
                                     [](const SubTask& each) { return each.kind == SubTaskKind::kStep; });
    EXPECT_EQ(static_cast<size_t>(steps), plan->steps.size());
    ++plans;
  }
  EXPECT_GT(plans, 15);
}

}  // namespace
}  // namespace stitch::agents
