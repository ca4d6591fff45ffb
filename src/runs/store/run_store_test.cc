// SPDX-License-Identifier: Apache-2.0
#include "runs/store/run_store.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/fs/files.h"
#include "base/json/json.h"

namespace stitch::runs {
namespace {

constexpr int64_t kMoment = 1795266295;  // 2026-11-21 13:04:55 UTC

class RunStoreTest : public testing::Test {
 protected:
  RunRecord record_of(int64_t seconds, RunState state) const {
    RunRecord record;
    record.id = store.new_id("mlp", seconds);
    record.verb = "optimize";
    record.command = {"stitchcuda", "optimize", "a folder/mlp.py", "--math", "tf32"};
    record.folder = "/home/me";
    record.file = "/home/me/a folder/mlp.py";
    record.task = "mlp";
    record.options = {{"math", "tf32"}};
    record.started = utc_text(seconds);
    record.process = own_identity();
    record.state = state;
    return record;
  }

  TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-runs-test").value();
  RunStore store{folder.path()};
};

TEST_F(RunStoreTest, TimesAreUtc) {
  EXPECT_EQ(utc_text(kMoment), "2026-11-21T13:04:55Z");
  EXPECT_EQ(utc_digits(kMoment), "20261121-130455");
}

TEST_F(RunStoreTest, WhatIsWrittenIsRead) {
  RunRecord record = record_of(kMoment, RunState::kVerified);
  EXPECT_TRUE(record.id.starts_with("20261121-130455-mlp-"));
  record.modelled_us = 82.25;
  record.steps = 2;
  record.stage = "verify";
  record.verdict = "verified: \xff is no UTF-8";
  ASSERT_TRUE(store.write(record).has_value());
  const auto read = store.read(record.id);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->command, record.command);
  EXPECT_EQ(read->options, record.options);
  EXPECT_EQ(read->started, "2026-11-21T13:04:55Z");
  EXPECT_EQ(read->modelled_us, 82.25);
  EXPECT_EQ(read->measured_us, std::nullopt);
  EXPECT_EQ(read->steps, 2);
  EXPECT_EQ(read->stage, "verify");
  EXPECT_EQ(read->state, RunState::kVerified);
}

TEST_F(RunStoreTest, ARunningOneWhoseProcessIsGoneWasKilled) {
  RunRecord record = record_of(kMoment, RunState::kRunning);
  ASSERT_TRUE(store.write(record).has_value());
  EXPECT_EQ(store.read(record.id)->state, RunState::kRunning);
  ++record.process.start_ticks;
  ASSERT_TRUE(store.write(record).has_value());
  EXPECT_EQ(store.read(record.id)->state, RunState::kKilled);
}

TEST_F(RunStoreTest, TheOnlyBeginningThatFitsIsEnough) {
  const RunRecord first = record_of(kMoment, RunState::kFailed);
  const RunRecord second = record_of(kMoment + 60, RunState::kFailed);
  ASSERT_TRUE(store.write(first).has_value() && store.write(second).has_value());
  EXPECT_EQ(store.read("20261121-1304")->id, first.id);
  const auto two = store.read("20261121");
  ASSERT_FALSE(two.has_value());
  EXPECT_EQ(two.error().message, "2 runs begin with 20261121");
  EXPECT_EQ(store.read("2027").error().message, "there is no run 2027");
  EXPECT_FALSE(store.read("").has_value());
  EXPECT_FALSE(store.remove("..").has_value());
  ASSERT_TRUE(store.remove(first.id).has_value());
  EXPECT_FALSE(store.read(first.id).has_value());
}

TEST_F(RunStoreTest, TheListIsNewestFirstAndPassesOverWhatIsNoRecord) {
  const RunRecord older = record_of(kMoment, RunState::kFailed);
  const RunRecord newer = record_of(kMoment + 3600, RunState::kVerified);
  ASSERT_TRUE(store.write(newer).has_value() && store.write(older).has_value());
  ASSERT_TRUE(
      write_file(store.folder_of("20261121-140000-cut-0000") / "run.json", "{\"schema\": \"stitch").has_value());
  ASSERT_TRUE(write_file(store.folder_of("20261121-150000-other-0000") / "run.json", "[]").has_value());
  const std::vector<RunSummary> records = store.list().value();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].id, newer.id);
  EXPECT_EQ(records[1].id, older.id);
}

TEST_F(RunStoreTest, PruningGoesByAgeAndSizeAndKeepsWhatRuns) {
  const RunRecord running = record_of(kMoment, RunState::kRunning);
  ASSERT_TRUE(store.write(running).has_value());
  for (int i = 1; i <= 5; ++i) {
    const RunRecord record = record_of(kMoment + 100 * i, RunState::kVerified);
    ASSERT_TRUE(write_file(store.folder_of(record.id) / "journal", std::string(100'000, 'x')).has_value());
    ASSERT_TRUE(store.write(record).has_value());
  }
  const auto started = [&] {
    std::vector<std::string> moments;
    const std::vector<RunSummary> runs = store.list().value();
    for (const RunSummary& run : runs) {
      moments.push_back(run.started);
    }
    return moments;
  };
  store.prune({}, kMoment + 1'000'000);
  EXPECT_EQ(started().size(), 6u);
  store.prune({.bytes = {}, .age_seconds = 350.0}, kMoment + 500);
  EXPECT_EQ(started(), (std::vector{utc_text(kMoment + 500), utc_text(kMoment + 400), utc_text(kMoment + 300),
                                    utc_text(kMoment + 200), utc_text(kMoment)}));
  store.prune({.bytes = 250'000, .age_seconds = {}}, kMoment + 500);
  EXPECT_EQ(started(), (std::vector{utc_text(kMoment + 500), utc_text(kMoment + 400), utc_text(kMoment)}));
}

TEST_F(RunStoreTest, AFolderThatCannotBeWrittenIsAnError) {
  ASSERT_TRUE(write_file(folder.path() / "file", "").has_value());
  const RunStore inside(folder.path() / "file");
  EXPECT_FALSE(inside.write(record_of(kMoment, RunState::kRunning)).has_value());
  EXPECT_TRUE(inside.list()->empty());
}

TEST(StateFolder, TheNamedOneComesFirst) {
  ::setenv("XDG_STATE_HOME", "/x", 1);
  ::setenv("STITCHCUDA_STATE", "/named", 1);
  EXPECT_EQ(state_folder().value(), "/named");
  ::unsetenv("STITCHCUDA_STATE");
  EXPECT_EQ(state_folder().value(), "/x/stitchcuda");
  ::unsetenv("XDG_STATE_HOME");
  ::setenv("HOME", "/home/me", 1);
  EXPECT_EQ(state_folder().value(), "/home/me/.local/state/stitchcuda");
}

}  // namespace
}  // namespace stitch::runs
