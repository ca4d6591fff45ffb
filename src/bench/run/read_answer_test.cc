// SPDX-License-Identifier: Apache-2.0
#include "bench/run/read_answer.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch::bench {
namespace {

TEST(ReadAnswer, OthersRulesAreOfTheDrawsAsGiven) {
  const Json report = *parse_json(R"({"regimes": [
    {"regime": "as_given", "kernelbench_rule_ok": false, "within_1e_3": true, "within_1e_2": true},
    {"regime": "as_given", "kernelbench_rule_ok": true, "within_1e_3": true, "within_1e_2": null},
    {"regime": "extreme", "kernelbench_rule_ok": false, "within_1e_3": false, "within_1e_2": false}]})",
                                  "a report");
  TaskResult result;
  read_others(report, result);
  EXPECT_EQ(result.others, (std::map<std::string, bool>{{"cudaforge 1e-3", true}, {"kernelbench 1e-4", false}}));
}

TEST(ReadAnswer, TheFloorIsOfTheTimeThatCounts) {
  TaskResult modelled;
  read_optimized(*parse_json(R"({"verdict": {"kind": "ok", "reason": ""}, "modelled_us": 8, "floor_us": 2})", ""),
                 modelled);
  EXPECT_EQ(modelled.floor_share(), std::optional(0.25));
  TaskResult measured;
  read_optimized(*parse_json(R"({"verdict": {"kind": "ok", "reason": ""}, "modelled_us": 8, "floor_us": 2,
                                 "measured": {"plain_us": 4, "graph_us": null, "floor_us": 3}})",
                             ""),
                 measured);
  EXPECT_EQ(measured.floor_share(), std::optional(0.75));
  measured.floor_us.reset();
  EXPECT_EQ(measured.floor_share(), std::nullopt);
}

TEST(ReadAnswer, AnErrorOfTheProgramIsABrokenTask) {
  TaskResult result;
  read_optimized(
      *parse_json(R"({"error": {"code": "program_invalid", "sentence": "it raised", "place": "a.py:3"}})", ""), result);
  EXPECT_EQ(result.outcome, Outcome::kBroken);
  EXPECT_EQ(result.standing, Standing::kBroken);
  TaskResult world;
  read_optimized(*parse_json(R"({"error": {"code": "environment", "sentence": "no disk"}})", ""), world);
  EXPECT_EQ(world.outcome, Outcome::kWorld);
  TaskResult package;
  const char* lacks = R"({"error": {"code": "environment", "remedy": "Install it: python -m pip install transformers",
      "sentence": "16_gpt2.py needs the Python package transformers, which is not installed here."}})";
  read_optimized(*parse_json(lacks, ""), package);
  EXPECT_EQ(package.outcome, Outcome::kNeedsPackage);
  EXPECT_TRUE(package.sentence.ends_with("pip install transformers"));
  EXPECT_TRUE(is_open(package.outcome));
}

}  // namespace
}  // namespace stitch::bench
