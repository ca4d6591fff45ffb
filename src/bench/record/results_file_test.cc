// SPDX-License-Identifier: Apache-2.0
#include "bench/record/results_file.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"
#include "base/json/json.h"

namespace stitch::bench {
namespace {

TaskResult made(const std::string& task) {
  TaskResult result;
  result.task = task;
  result.outcome = Outcome::kOk;
  result.others["kernelbench 1e-4"] = true;
  result.over["eager"] = {.ratio = 1.5, .low = 1.4, .high = 1.6, .baseline_us = 3, .ours_us = 2};
  result.over["compile"] = {.refusal = "it does not compile"};
  result.standing = Standing::kWeak;
  result.floor_us = 1.25;
  result.spent.dollars = 0.25;
  return result;
}

TEST(ResultsFile, KeepsWholeResults) {
  const TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-results").value();
  const auto path = folder.path() / "results.jsonl";
  {
    ResultsFile file = ResultsFile::open(path).value();
    ASSERT_TRUE(file.append(made("a")).has_value());
    ASSERT_TRUE(file.append(made("b")).has_value());
    EXPECT_FALSE(ResultsFile::open(path).has_value());  // another one is at work on it
  }
  const std::vector<TaskResult> read = *read_results(path);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(to_json(read[1]), to_json(made("b")));
}

TEST(ResultsFile, HalfALineIsTakenOff) {
  const TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-results").value();
  const auto path = folder.path() / "results.jsonl";
  const std::string whole = to_json(made("a")).dump() + "\n";
  for (size_t cut = 1; cut < whole.size(); cut += 37) {
    ASSERT_TRUE(write_file(path, whole + whole.substr(0, cut)).has_value());
    ResultsFile file = ResultsFile::open(path).value();
    EXPECT_EQ(file.known().size(), 1U);
    ASSERT_TRUE(file.append(made("c")).has_value());
    EXPECT_EQ(read_results(path)->size(), 2U) << cut;
  }
}

TEST(ResultsFile, AnAlteredLineIsNamed) {
  const TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-results").value();
  const auto path = folder.path() / "results.jsonl";
  ASSERT_TRUE(write_file(path, to_json(made("a")).dump() + "\n{\"schema\": \"stitchcuda.bench/1\"}\n").has_value());
  const auto read = ResultsFile::open(path);
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().location.find(":2"), std::string::npos) << read.error().location;
}

}  // namespace
}  // namespace stitch::bench
