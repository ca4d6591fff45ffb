// SPDX-License-Identifier: Apache-2.0
// Runs written down, an event a line, to the decisions that they lead to. All rows of the table are among them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "agents/routing/routes.h"
#include "agents/state/state_json.h"
#include "agents/testing/script.h"
#include "base/json/json.h"
#include "base/testing/case_file.h"

namespace stitch::agents {
namespace {

std::string folder() { return std::string(STITCH_SOURCE_DIR) + "/src/agents/testdata/routing"; }

std::string run_case(const testing::CaseFile& one) {
  if (one.run == "table") {
    return routes_as_text();
  }
  const Played played = play(one.input);
  if (one.run == "graph") {
    return routes_as_text(&played.state.decisions);
  }
  const auto& program = played.state.incumbent.program;
  std::string text = decisions_as_text(played.state) + played.refused;
  text += fmt::format("{} attempts, {} replans, {} notes", played.state.attempts.size(), played.state.replans,
                      played.state.notes.size());
  return text + (program.has_value() ? fmt::format(", best {:g} us\n", program->us) : "\n");
}

class RouteCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(RouteCase, DecidesAsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, RouteCase, ::testing::ValuesIn(testing::case_files(folder())),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

TEST(Routes, EachIsTakenInSomeCase) {
  std::vector<Decision> taken;
  for (const auto& path : testing::case_files(folder())) {
    const auto cases = testing::read_cases(path);
    ASSERT_TRUE(cases.has_value());
    for (const auto& one : *cases) {
      const auto played = play(one.run == "table" ? "" : one.input);
      taken.insert(taken.end(), played.state.decisions.begin(), played.state.decisions.end());
      EXPECT_EQ(contradiction(played.state), "") << one.comment;
    }
  }
  for (const Route& route : all_routes()) {
    const bool is_taken = std::any_of(taken.begin(), taken.end(), [&](const Decision& each) {
      return each.event == route.event && each.condition == route.condition && each.also == route.also &&
             begins_at(route, each.from);
    });
    EXPECT_TRUE(is_taken) << to_string(route.event) << ", " << to_string(route.condition) << ": " << route.why;
  }
}

}  // namespace
}  // namespace stitch::agents
