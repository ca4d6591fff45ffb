// SPDX-License-Identifier: Apache-2.0
// The index beside the folders: whatever befalls it, lists say what the folders say.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "runs/store/run_store.h"

namespace stitch::runs {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kFirstMoment = 1795266295;  // 2026-11-21 13:04:55 UTC

class RunIndexTest : public testing::Test {
 protected:
  RunRecord record_of(int64_t seconds, const std::string& math, RunState state = RunState::kVerified) const {
    RunRecord record;
    record.id = store.new_id("mlp", seconds);
    record.verb = "optimize";
    record.task = "mlp";
    record.math = math;
    record.options = {{"tune-seconds", "10"}};
    record.out = "/out/" + math;
    record.started = utc_text(seconds);
    record.process = own_identity();
    record.state = state;
    record.modelled_us = static_cast<double>(seconds - kFirstMoment);
    return record;
  }
  void make(int count) const {
    for (int i = 0; i < count; ++i) {
      const RunState state = i % 3 == 0 ? RunState::kNotVerified : RunState::kVerified;
      ASSERT_TRUE(store.write(record_of(kFirstMoment + i, i % 2 == 0 ? "tf32" : "fp32", state)).has_value());
    }
  }
  std::vector<std::string> ids(const std::string& condition = "steps=none") const {
    std::vector<std::string> found;
    const auto runs = store.list(parse_condition(condition).value(), kFirstMoment + 100).value();
    for (const RunSummary& run : runs) {
      found.push_back(run.id);
    }
    return found;
  }
  // By the folders alone.
  size_t folders() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(store.folder()), fs::directory_iterator()));
  }

  TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-index-test").value();
  RunStore store{folder.path()};
  fs::path file = folder.path() / "runs.sqlite";
};

TEST_F(RunIndexTest, ConditionsChoose) {
  make(12);
  EXPECT_EQ(ids().size(), 12u);
  EXPECT_EQ(ids("math=tf32").size(), 6u);
  EXPECT_EQ(ids("verdict='not verified'").size(), 4u);
  EXPECT_EQ(ids("verdict=verified and math=tf32").size(), 4u);
  EXPECT_EQ(ids("verdict~verified").size(), 12u);
  EXPECT_EQ(ids("not (verdict=verified or math=fp32)").size(), 2u);
  EXPECT_EQ(ids("math~TF").size(), 6u);
  EXPECT_EQ(ids("modelled_us<3").size(), 3u);
  EXPECT_EQ(ids("time_us>=3").size(), 9u);
  EXPECT_EQ(ids("not measured_us<3").size(), 12u);
  EXPECT_EQ(ids("measured_us!=none").size(), 0u);
  EXPECT_EQ(ids("age<=95").size(), 7u);
  EXPECT_EQ(ids("started=2026-11-21").size(), 12u);
  EXPECT_EQ(ids("started>2026-11-21").size(), 0u);
  EXPECT_EQ(ids("started<2026-11-21T13:04:58").size(), 3u);
  EXPECT_EQ(ids("option.tune-seconds=10").size(), 12u);
  EXPECT_EQ(ids("option.tune-seconds!=none and option.other=none").size(), 12u);
  EXPECT_EQ(ids("bytes>0 and bytes<1M").size(), 12u);
  EXPECT_EQ(ids("folder=\"x' or 1=1 --\"").size(), 0u);
  EXPECT_EQ(store.list({}, 0, 5)->size(), 5u);
  EXPECT_EQ(store.list({}, 0, 1)->front().started, utc_text(kFirstMoment + 11));
  EXPECT_EQ(store.writing_to("/out/fp32")->size(), 6u);
}

TEST_F(RunIndexTest, WhatNobodyToldItIsTakenIn) {
  make(3);
  ASSERT_EQ(ids().size(), 3u);
  const RunRecord other = record_of(kFirstMoment + 50, "bf16");
  ASSERT_TRUE(store.write_progress(other).has_value());  // as an older stitchcuda does
  EXPECT_EQ(ids("math=bf16").size(), 1u);
  RunRecord again = other;
  again.math = "fp16";
  ASSERT_TRUE(store.write_progress(again).has_value());
  EXPECT_EQ(ids("math=fp16").size(), 1u);
  EXPECT_EQ(ids("math=bf16").size(), 0u);
  fs::remove_all(store.folder_of(other.id));
  EXPECT_EQ(ids().size(), 3u);
}

TEST_F(RunIndexTest, ARunningOneIsAlwaysReadAnew) {
  RunRecord running = record_of(kFirstMoment, "tf32", RunState::kRunning);
  ASSERT_TRUE(store.write(running).has_value());
  running.stage = "build";
  ASSERT_TRUE(store.write_progress(running).has_value());
  EXPECT_EQ(store.list()->front().stage, "build");
  ++running.process.start_ticks;
  ASSERT_TRUE(store.write_progress(running).has_value());
  EXPECT_EQ(store.list()->front().state, RunState::kKilled);
  EXPECT_EQ(ids("verdict=killed").size(), 1u);
}

TEST_F(RunIndexTest, ADamagedOneIsMadeAgain) {
  make(40);
  const std::vector<std::string> before = ids();
  ASSERT_EQ(before.size(), 40u);
  const std::string whole = read_file(file).value();
  ASSERT_GT(whole.size(), 8192u);
  std::vector<std::string> damaged = {"", "no database", whole.substr(0, whole.size() / 2), whole.substr(0, 100),
                                      std::string(whole.size(), '\0')};
  for (size_t at = 0; at < whole.size(); at += 4096) {
    damaged.push_back(whole);
    std::fill_n(damaged.back().begin() + static_cast<std::ptrdiff_t>(at), 4096, '\xff');
  }
  for (const std::string& text : damaged) {
    ASSERT_TRUE(write_file(file, text).has_value());
    EXPECT_EQ(ids(), before);
    EXPECT_EQ(ids("math=tf32").size(), 20u);
  }
}

TEST_F(RunIndexTest, OneOfAnotherVersionIsMadeAgain) {
  make(3);
  ASSERT_EQ(ids().size(), 3u);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "DROP TABLE runs; PRAGMA user_version = 99", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  EXPECT_EQ(ids().size(), 3u);
}

TEST_F(RunIndexTest, WithoutAPlaceForItTheFoldersAreRead) {
  make(3);
  ASSERT_TRUE(fs::create_directory(folder.path() / "runs.lock"));  // so that no lock can be had
  EXPECT_EQ(ids().size(), 3u);
  EXPECT_EQ(ids("math=tf32").size(), 2u);
}

// Each process begins and ends runs, lists them, and one damages the index.
TEST_F(RunIndexTest, ManyProcessesWriteAtOnce) {
  constexpr int kProcesses = 4;
  constexpr int kRuns = 10;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool is_right = true;
      for (int i = 0; i < kRuns; ++i) {
        RunRecord record = record_of(kFirstMoment + process * 1000 + i, "tf32", RunState::kRunning);
        is_right = is_right && store.write(record).has_value();
        if (process == 0 && i == kRuns / 2) {
          is_right = is_right && write_file(file, "damaged").has_value();
        }
        is_right = is_right && store.list().has_value();
        record.state = RunState::kVerified;
        is_right = is_right && store.write(record).has_value();
      }
      ::_exit(is_right ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(ids("verdict=verified").size(), static_cast<size_t>(kProcesses * kRuns));
  EXPECT_EQ(folders(), static_cast<size_t>(kProcesses * kRuns));
}

}  // namespace
}  // namespace stitch::runs
