// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/suite.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"
#include "bench/data/tables.h"
#include "bench/suite/choose.h"

namespace stitch::bench {
namespace {

TEST(Suite, TablesOfKernelBenchAreWhole) {
  const KnownTasks known = *known_tasks();
  EXPECT_EQ(known.subsets.at("stitchcuda").size(), 50U);
  EXPECT_EQ(known.families.size(), 250U);
  EXPECT_EQ(known.standings.at("2/80").standing, Standing::kDegenerate);
  EXPECT_EQ(known.standings.at("2/66").standing, Standing::kStochastic);
  EXPECT_GT(published_figures()->size(), 10U);
}

TEST(Suite, AFigureWithoutABaselineIsNamed) {
  const auto read = read_published("[[figure]]\nsystem = \"x\"\nsuite = \"y\"\nlevels = [1]\n", "mine.toml");
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().message.find("figure 1"), std::string::npos) << read.error().message;
}

TEST(Suite, Patterns) {
  EXPECT_TRUE(fits_pattern("level1/3", "level1/3"));
  EXPECT_TRUE(fits_pattern("3_Batched_matmul", "*mat*l"));
  EXPECT_TRUE(fits_pattern("", "*"));
  EXPECT_FALSE(fits_pattern("level1/30", "level1/3"));
  EXPECT_FALSE(fits_pattern("abc", "a*d"));
  EXPECT_FALSE(fits_pattern(std::string(5000, 'a'), "*a*a*a*a*a*a*a*a*a*b"));
}

TEST(Suite, LevelsInTheOrderOfTheirNumbers) {
  const TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-suite").value();
  for (const char* name : {"level1/10_B.py", "level1/2_A.py", "level2/1_C.py", "level1/notes.txt", "level1/_x.py"}) {
    ASSERT_TRUE(write_file(folder.path() / name, "x").has_value());
  }
  const Suite suite = *find_suite({.suite = "kernelbench", .root = folder.path()});
  ASSERT_EQ(suite.tasks.size(), 3U);
  EXPECT_EQ(suite.tasks[0].id, "level1/2");
  EXPECT_EQ(suite.tasks[1].id, "level1/10");
  EXPECT_EQ(suite.tasks[2].id, "level2/1");
  EXPECT_EQ(find_suite({.suite = "kernelbench", .root = folder.path(), .levels = {2}})->tasks.size(), 1U);
  EXPECT_EQ(find_suite({.suite = "kernelbench", .root = folder.path(), .only = {"1/2"}})->tasks.size(), 1U);
  EXPECT_FALSE(find_suite({.suite = "kernelbench", .root = folder.path(), .levels = {3}}).has_value());
  EXPECT_FALSE(find_suite({.suite = "kernelbench", .root = folder.path(), .only = {"zzz"}}).has_value());
  EXPECT_FALSE(find_suite({.suite = "kernelbench"}).has_value());
}

TEST(Suite, ATaskListIsWrittenOut) {
  const TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-suite").value();
  const auto list = folder.path() / "fresh.jsonl";
  ASSERT_TRUE(write_file(list, "{\"name\": \"a\", \"source\": \"text\", \"family\": \"conv\"}\n").has_value());
  const Suite suite = *find_suite({.suite = list.string(), .written = folder.path() / "programs"});
  ASSERT_EQ(suite.tasks.size(), 1U);
  EXPECT_EQ(suite.tasks[0].family, "conv");
  EXPECT_EQ(*read_file(suite.tasks[0].file), "text");
  ASSERT_TRUE(write_file(list, "{\"id\": \"000001_gelu\", \"file\": \"tasks/000001_gelu.py\"}\n").has_value());
  const Suite made = *find_suite({.suite = list.string(), .written = folder.path() / "programs"});
  ASSERT_EQ(made.tasks.size(), 1U);
  EXPECT_EQ(made.tasks[0].id, "000001_gelu");
  EXPECT_EQ(made.tasks[0].file, folder.path() / "tasks/000001_gelu.py");
  ASSERT_TRUE(write_file(list, "{\"name\": \"../a\", \"source\": \"text\"}\n").has_value());
  EXPECT_FALSE(find_suite({.suite = list.string(), .written = folder.path() / "programs"}).has_value());
}

}  // namespace
}  // namespace stitch::bench
