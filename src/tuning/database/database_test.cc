// SPDX-License-Identifier: Apache-2.0
#include "tuning/database/database.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "base/fs/files.h"

namespace stitch::tuning {
namespace {

const Context kHere{"NVIDIA H200", "nvcc 13.0", "tf32"};

class Database : public ::testing::Test {
 protected:
  TemporaryDirectory folder_ = TemporaryDirectory::make("stitchcuda-tuning").value();
  std::filesystem::path file_ = folder_.path() / "deep" / "times.sqlite";
};

TEST_F(Database, KeepsTimesUnderTheirWholeKey) {
  TuningDatabase database = TuningDatabase::open(file_).value();
  ASSERT_TRUE(database.store(kHere, "step", {"tf32_64x64", 1}, {31.5, 0.01}).has_value());
  ASSERT_TRUE(database.store(kHere, "step", {"tf32_64x64_split_k", 4}, {22.25, 0.02}).has_value());
  const auto found = database.find(kHere, "step", {"tf32_64x64_split_k", 4}).value();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->median_us, 22.25);
  EXPECT_EQ(found->spread, 0.02);
  EXPECT_FALSE(database.find(kHere, "step", {"tf32_64x64_split_k", 8}).value().has_value());
  EXPECT_FALSE(database.find(kHere, "other step", {"tf32_64x64", 1}).value().has_value());
  for (const Context& other : {Context{"NVIDIA A100", "nvcc 13.0", "tf32"}, Context{"NVIDIA H200", "nvcc 12.8", "tf32"},
                               Context{"NVIDIA H200", "nvcc 13.0", "fp32"}}) {
    EXPECT_FALSE(database.find(other, "step", {"tf32_64x64", 1}).value().has_value());
  }
}

TEST_F(Database, OutlivesTheProcessAndTakesNewTimes) {
  ASSERT_TRUE(TuningDatabase::open(file_).value().store(kHere, "step", {"a", 1}, {10, 0}).has_value());
  TuningDatabase first = TuningDatabase::open(file_).value();
  TuningDatabase second = TuningDatabase::open(file_).value();  // as another process would
  ASSERT_TRUE(second.store(kHere, "step", {"a", 1}, {5, 0}).has_value());
  EXPECT_EQ(first.find(kHere, "step", {"a", 1}).value()->median_us, 5);
  EXPECT_EQ(first.size().value(), 1);
}

TEST_F(Database, RemembersWhatDoesNotWork) {
  TuningDatabase database = TuningDatabase::open(file_).value();
  ASSERT_TRUE(database.store(kHere, "step", {"a", 1}, {std::numeric_limits<double>::infinity(), 0}).has_value());
  EXPECT_TRUE(std::isinf(database.find(kHere, "step", {"a", 1}).value()->median_us));
}

TEST_F(Database, NamesAreOnlyData) {
  TuningDatabase database = TuningDatabase::open(file_).value();
  const kernels::Setting odd{"a'; DROP TABLE times; --", 1};
  ASSERT_TRUE(database.store(kHere, "step", odd, {7, 0}).has_value());
  EXPECT_EQ(database.find(kHere, "step", odd).value()->median_us, 7);
}

// The first version had times alone; they stay.
TEST_F(Database, TakesOverAnOlderFile) {
  ASSERT_TRUE(TuningDatabase::open(file_).value().store(kHere, "step", {"a", 1}, {10, 0}).has_value());
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(file_.c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(raw, "DROP TABLE steps; PRAGMA user_version = 1", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(raw);
  TuningDatabase database = TuningDatabase::open(file_).value();
  ASSERT_TRUE(database.describe("step", {"gemm", "f1", {64}, 1, "graph g", 0}).has_value());
  const auto all = database.all().value();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].measurement.median_us, 10);
  EXPECT_TRUE(all[0].record.has_value());
}

TEST_F(Database, RefusesWhatIsNoDatabase) {
  ASSERT_TRUE(write_file(folder_.path() / "text", std::string(4096, 'x')).has_value());
  const auto opened = TuningDatabase::open(folder_.path() / "text");
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, ErrorCode::kFileInvalid);
  EXPECT_NE(opened.error().message.find("tuning database"), std::string::npos);
  EXPECT_FALSE(TuningDatabase::open(folder_.path()).has_value());
}

TEST_F(Database, ManyMayOpenANewOneAtOnce) {
  for (int round = 0; round < 10; ++round) {
    const std::filesystem::path file = folder_.path() / (std::to_string(round) + ".sqlite");
    std::vector<std::string> problems(8);
    std::vector<std::thread> openers;
    for (std::string& problem : problems) {
      openers.emplace_back([&file, &problem] {
        const auto database = TuningDatabase::open(file);
        problem = database.has_value() ? "" : database.error().message;
      });
    }
    for (std::thread& opener : openers) {
      opener.join();
    }
    for (const std::string& problem : problems) {
      EXPECT_EQ(problem, "");
    }
  }
}

}  // namespace
}  // namespace stitch::tuning
