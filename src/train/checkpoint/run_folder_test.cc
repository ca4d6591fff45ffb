// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/run_folder.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"
#include "base/json/json.h"

namespace stitch::train {
namespace {

namespace fs = std::filesystem;

Result<void> write_step(const RunFolder& run, int64_t step, int64_t keep = 2) {
  return run.write_checkpoint(step, keep, {{"torch", "2.13.0"}}, [&](const fs::path& folder) -> Result<void> {
    STITCH_TRY(write_file(folder / "optim.safetensors", "moments " + std::to_string(step)));
    return write_file(folder / "model" / "config.json", "{}");
  });
}

std::string latest_error(const RunFolder& run) {
  const auto latest = run.latest();
  return latest.has_value() ? "taken" : latest.error().message;
}

TEST(RunFolder, KeepsTheNewestCheckpoints) {
  const auto folder = TemporaryDirectory::make("run").value();
  const RunFolder run(folder.path() / "run");
  EXPECT_FALSE(run.latest().value().has_value());
  for (const int64_t step : {5, 10, 15}) {
    ASSERT_TRUE(write_step(run, step).has_value());
    EXPECT_EQ(run.latest().value()->step, step);
  }
  EXPECT_FALSE(fs::exists(run.path() / "ckpt" / "step-5"));
  EXPECT_TRUE(fs::exists(run.path() / "ckpt" / "step-10"));
  const Json manifest = parse_json(read_file(run.path() / "ckpt/step-15/MANIFEST.json").value(), "manifest").value();
  EXPECT_EQ(manifest["torch"], "2.13.0");
  EXPECT_EQ(manifest["files"].size(), 2U);
}

TEST(RunFolder, AKilledWriterLeavesTheOneBefore) {
  const auto folder = TemporaryDirectory::make("run").value();
  const RunFolder run(folder.path());
  ASSERT_TRUE(write_step(run, 5).has_value());
  const auto failed = run.write_checkpoint(10, 2, {}, [](const fs::path& fresh) -> Result<void> {
    STITCH_TRY(write_file(fresh / "optim.safetensors", "half"));
    return failure(ErrorCode::kEnvironment, "the disk is full");
  });
  EXPECT_FALSE(failed.has_value());
  EXPECT_EQ(run.latest().value()->step, 5);
  ASSERT_TRUE(write_step(run, 10).has_value());
  EXPECT_EQ(run.latest().value()->step, 10);
  EXPECT_FALSE(fs::exists(folder.path() / "ckpt" / "step-10.tmp"));
}

TEST(RunFolder, RefusesWhatIsNotWhatWasWritten) {
  const auto folder = TemporaryDirectory::make("run").value();
  const RunFolder run(folder.path());
  const fs::path checkpoint = folder.path() / "ckpt" / "step-5";
  const auto damaged = [&](const std::string& what) { return "the checkpoint is damaged: " + what; };
  ASSERT_TRUE(write_step(run, 5).has_value());
  ASSERT_TRUE(write_file(checkpoint / "optim.safetensors", "moments 6").has_value());
  EXPECT_EQ(latest_error(run), damaged("this file is not what was written"));
  ASSERT_TRUE(write_step(run, 5).has_value());
  ASSERT_TRUE(write_file(checkpoint / "stray", "").has_value());
  EXPECT_EQ(latest_error(run), damaged("this file is not in its manifest"));
  ASSERT_TRUE(write_step(run, 5).has_value());
  fs::remove(checkpoint / "model" / "config.json");
  EXPECT_EQ(latest_error(run), damaged("this file is missing"));
  fs::remove(checkpoint / "MANIFEST.json");
  EXPECT_EQ(latest_error(run), damaged("it has no MANIFEST.json"));
  for (const char* name : {"step-", "step-x", "../step-5", "step-5/..", "step--5", ""}) {
    ASSERT_TRUE(write_file(folder.path() / "ckpt" / "LATEST", name).has_value());
    EXPECT_EQ(latest_error(run), damaged("LATEST names no checkpoint")) << name;
  }
}

TEST(RunFolder, FilesAreCutToWhatTheyWere) {
  const auto folder = TemporaryDirectory::make("run").value();
  const fs::path path = folder.path() / "metrics.jsonl";
  ASSERT_TRUE(cut_file(path, 0).has_value());
  EXPECT_EQ(append_line(path, "one").value(), 4);
  EXPECT_EQ(append_line(path, "two").value(), 8);
  ASSERT_TRUE(cut_file(path, 4).has_value());
  EXPECT_EQ(read_file(path).value(), "one\n");
  EXPECT_FALSE(cut_file(path, 5).has_value());
}

}  // namespace
}  // namespace stitch::train
