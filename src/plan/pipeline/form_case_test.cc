// SPDX-License-Identifier: Apache-2.0
// Whole plans that compete, as text. `run` is what is asked for: "any", "by_cost" or "by_libraries". Lines of `given`
// are measured times: of a form of the whole program, or of a setting, "direct_16: 100".
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "base/testing/case_file.h"
#include "ir/text/parser.h"
#include "plan/plan.h"

namespace stitch::plan {
namespace {

std::map<std::string, double> times_of(const std::string& given) {
  std::map<std::string, double> times;
  std::istringstream lines(given);
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(':');
    times[line.substr(0, colon)] = std::stod(line.substr(colon + 1));
  }
  return times;
}

std::string as_lines(const Plan& plan) {
  std::string text = to_string(plan.form) + "\n";
  for (const Step& step : plan.steps) {
    text += fmt::format("{} by {} {}{}\n", step.name, step.skeleton, step.setting.variant,
                        step.measured_us.has_value() ? fmt::format(", {} us", *step.measured_us) : "");
  }
  return text;
}

std::string form_outcome(const testing::CaseFile& file) {
  const std::map<std::string, double> times = times_of(file.given);
  const ir::Graph graph = ir::parse(file.input, "case").value();
  PlanOptions options;
  if (file.run != "any") {
    options.form.style = file.run == "by_libraries" ? Style::kByLibraries : Style::kByCost;
  }
  // A setting's name tells of which skeleton it is in these programs.
  options.measured = [&](const std::string&, const Setting& setting) -> std::optional<double> {
    const auto found = times.find(setting.variant);
    return found == times.end() ? std::nullopt : std::optional(found->second);
  };
  const Result<Plan> plan = make_plan(graph, options);
  if (!plan.has_value()) {
    return "refused: " + plan.error().message + "\n";
  }
  // Cut anew with nothing written it stays as it is.
  const Result<Plan> again = with_boundaries(*plan, {});
  EXPECT_TRUE(again.has_value());
  EXPECT_EQ(as_lines(*again), as_lines(*plan));
  return as_lines(*plan);
}

class FormCases : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(FormCases, ArePlannedAsExpected) { EXPECT_EQ(testing::differences(GetParam(), form_outcome), ""); }

INSTANTIATE_TEST_SUITE_P(All, FormCases,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/plan/testdata/forms")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

}  // namespace
}  // namespace stitch::plan
