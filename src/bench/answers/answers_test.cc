// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "bench/answers/audits.h"
#include "bench/answers/eval_results.h"
#include "bench/answers/find_answers.h"

namespace stitch::bench {
namespace {

TEST(Answers, KernelBenchsNamesAndOurs) {
  const TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-answers").value();
  for (const char* name : {"level_1_problem_3_sample_0_kernel.py", "level_1_problem_3_sample_2_kernel.py", "4_B.py"}) {
    ASSERT_TRUE(write_file(folder.path() / name, "x").has_value());
  }
  const SuiteTask third{.id = "level1/3", .name = "3_A", .level = 1, .number = 3};
  const SuiteTask fourth{.id = "level1/4", .name = "4_B", .level = 1, .number = 4};
  EXPECT_EQ(find_answer(folder.path(), third, 2).filename(), "level_1_problem_3_sample_2_kernel.py");
  EXPECT_TRUE(find_answer(folder.path(), third, 1).empty());
  EXPECT_EQ(find_answer(folder.path(), fourth, 0).filename(), "4_B.py");
  EXPECT_EQ(*count_samples(folder.path(), {third, fourth}), 3);
  EXPECT_FALSE(count_samples(folder.path() / "none", {third}).has_value());
}

TEST(Answers, WhatKernelBenchsRuleSaysIsCorrectnessThere) {
  TaskResult result;
  result.level = 1;
  result.number = 3;
  result.outcome = Outcome::kVerdict;
  result.kind = "wrong";
  result.others["kernelbench 1e-4"] = true;
  const auto files = eval_results_of({result});
  const Json json = *parse_json(files.at("eval_results.json"), "eval_results.json");
  EXPECT_EQ(json["3"][0]["correctness"], true);
  EXPECT_EQ(json["3"][0]["metadata"]["stitchcuda_verdict"], "wrong");
  EXPECT_EQ(json["3"][0]["runtime"], -1.0);
}

TEST(Answers, APersonsFindingGoesBeforeTheRules) {
  const TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-answers").value();
  const auto file = folder.path() / "audits.jsonl";
  ASSERT_TRUE(add_audit(file, {"level1/3", 0, HackClass::kPartial, "cuBLAS", "now"}).has_value());
  ASSERT_TRUE(add_audit(file, {"level1/3", 0, HackClass::kTotal, "all of it", "later"}).has_value());
  std::vector<TaskResult> results(1);
  results[0].task = "level1/3";
  apply_audits(*read_audits(file), results);
  EXPECT_EQ(results[0].hack_class, HackClass::kTotal);
  EXPECT_EQ(results[0].hack_evidence, "a person's finding: all of it");
}

}  // namespace
}  // namespace stitch::bench
