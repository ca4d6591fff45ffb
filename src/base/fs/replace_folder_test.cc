// SPDX-License-Identifier: Apache-2.0
#include "base/fs/replace_folder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "base/fs/files.h"

namespace stitch {
namespace {

namespace fs = std::filesystem;

class ReplaceFolderTest : public testing::Test {
 protected:
  Result<void> replace(const std::string& text) {
    return replace_folder(
        folder,
        [&](const fs::path& fresh) {
          const Result<void> first = write_file(fresh / "first", text);
          return first.has_value() ? write_file(fresh / "inner" / "second", text) : first;
        },
        [&](const fs::path& fresh) {
          std::error_code ignored;
          return fs::exists(folder / "mine", ignored) ? carry_file(folder / "mine", fresh / "mine") : Result<void>();
        });
  }
  std::set<std::string> names(const fs::path& parent) const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(parent)) {
      found.insert(entry.path().filename().string());
    }
    return found;
  }

  TemporaryDirectory base = TemporaryDirectory::make("stitchcuda-replace-test").value();
  fs::path folder = base.path() / "out" / "mlp";
};

TEST_F(ReplaceFolderTest, ItAppearsAndIsReplacedWhole) {
  ASSERT_TRUE(replace("one").has_value());
  EXPECT_EQ(names(folder), (std::set<std::string>{"first", "inner"}));
  ASSERT_TRUE(write_file(folder / "mine", "kept").has_value());
  ASSERT_TRUE(write_file(folder / "stale", "").has_value());
  ASSERT_TRUE(replace("two").has_value());
  EXPECT_EQ(names(folder), (std::set<std::string>{"first", "inner", "mine"}));
  EXPECT_EQ(read_file(folder / "first").value(), "two");
  EXPECT_EQ(read_file(folder / "mine").value(), "kept");
  EXPECT_EQ(names(folder.parent_path()), std::set<std::string>{"mlp"});
}

TEST_F(ReplaceFolderTest, AFailureLeavesWhatWasThere) {
  ASSERT_TRUE(replace("one").has_value());
  const auto failing = [](const fs::path& fresh) {
    const Result<void> half = write_file(fresh / "half", "");
    return half.has_value() ? Result<void>(failure(ErrorCode::kEnvironment, "the disk is full")) : half;
  };
  const auto nothing = [](const fs::path&) { return Result<void>(); };
  EXPECT_FALSE(replace_folder(folder, failing, nothing).has_value());
  EXPECT_FALSE(replace_folder(folder, nothing, failing).has_value());
  EXPECT_EQ(names(folder), (std::set<std::string>{"first", "inner"}));
  EXPECT_EQ(names(folder.parent_path()), std::set<std::string>{"mlp"});
}

TEST_F(ReplaceFolderTest, ALinkStaysALink) {
  ASSERT_TRUE(make_directories(base.path() / "elsewhere").has_value());
  ASSERT_TRUE(make_directories(folder.parent_path()).has_value());
  fs::create_directory_symlink(base.path() / "elsewhere", folder);
  ASSERT_TRUE(replace("one").has_value());
  EXPECT_TRUE(fs::is_symlink(folder));
  EXPECT_EQ(read_file(base.path() / "elsewhere" / "first").value(), "one");
}

TEST_F(ReplaceFolderTest, ManyWritersAndAReaderWhoSeesOnlyWholeFolders) {
  ASSERT_TRUE(replace("x").has_value());
  std::atomic<bool> done = false;
  std::thread reader([&] {
    while (!done) {
      EXPECT_TRUE(fs::exists(folder / "inner" / "second"));
    }
  });
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < 4; ++i) {
      writers.emplace_back([&, i] {
        for (int round = 0; round < 20; ++round) {
          EXPECT_TRUE(replace(std::string(1, static_cast<char>('a' + i))).has_value());
        }
      });
    }
  }
  done = true;
  reader.join();
  EXPECT_EQ(read_file(folder / "first").value(), read_file(folder / "inner" / "second").value());
  EXPECT_EQ(names(folder.parent_path()), std::set<std::string>{"mlp"});
}

// What a process leaves that is killed between the two steps of a file system that cannot exchange names.
TEST_F(ReplaceFolderTest, WhatWasPutAsideComesBack) {
  ASSERT_TRUE(write_file(folder.parent_path() / ".mlp.stitchcuda-old" / "mine", "kept").has_value());
  ASSERT_TRUE(replace("one").has_value());
  EXPECT_EQ(read_file(folder / "mine").value(), "kept");
  EXPECT_EQ(names(folder.parent_path()), std::set<std::string>{"mlp"});
}

}  // namespace
}  // namespace stitch
