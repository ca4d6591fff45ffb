// SPDX-License-Identifier: Apache-2.0
#include "tools/files/beneath.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/fs/files.h"

namespace stitch::tools {
namespace {

namespace fs = std::filesystem;

class InFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_.path() / "work" / "steps");
    ASSERT_TRUE(write_file(folder_.path() / "secret", "hidden").has_value());
    ASSERT_TRUE(write_file(root() / "steps" / "a.cu", "text").has_value());
  }
  fs::path root() const { return folder_.path() / "work"; }
  Beneath files() const { return Beneath::open(root()).value(); }

  TemporaryDirectory folder_ = TemporaryDirectory::make("beneath").value();
};

TEST_F(InFolder, ReadsAndWritesWhatLiesThere) {
  EXPECT_EQ(files().read("steps/../steps/a.cu", 100).value(), "text");
  EXPECT_EQ(files().read((root() / "steps" / "a.cu").string(), 100).value(), "text");
  ASSERT_TRUE(files().write("new/deep/b.cu", "more").has_value());
  EXPECT_EQ(read_file(root() / "new" / "deep" / "b.cu").value(), "more");
  EXPECT_EQ(files().list(10).size(), 2u);
  EXPECT_EQ(files().list(1).size(), 1u);
  ASSERT_TRUE(files().remove("new/deep/b.cu").has_value());
  EXPECT_TRUE(files().remove("new/deep/b.cu").has_value());
  EXPECT_EQ(files().list(10).size(), 1u);
}

TEST_F(InFolder, NothingLeadsOut) {
  fs::create_symlink(folder_.path() / "secret", root() / "link");
  fs::create_directory_symlink(folder_.path(), root() / "up");
  fs::create_symlink("steps/a.cu", root() / "inside");
  for (const char* path : {"../secret", "steps/../../secret", "link", "up/secret", "inside", "", ".", "/etc/passwd"}) {
    EXPECT_FALSE(files().read(path, 100).has_value()) << path;
    EXPECT_FALSE(files().write(path, "overwritten").has_value()) << path;
  }
  EXPECT_FALSE(files().remove("up/secret").has_value());
  EXPECT_FALSE(files().remove("../secret").has_value());
  ASSERT_TRUE(files().remove("link").has_value());
  EXPECT_EQ(read_file(folder_.path() / "secret").value(), "hidden");
  EXPECT_EQ(files().list(10).size(), 1u);
}

TEST_F(InFolder, AHardLinkIsNotWrittenThrough) {
  fs::create_hard_link(folder_.path() / "secret", root() / "hard");
  ASSERT_TRUE(files().write("hard", "mine").has_value());
  EXPECT_EQ(read_file(folder_.path() / "secret").value(), "hidden");
}

TEST_F(InFolder, PipesFoldersAndLongFilesAreRefused) {
  ASSERT_EQ(::mkfifo((root() / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(files().read("pipe", 100).has_value());
  EXPECT_FALSE(files().write("pipe", "x").has_value());
  EXPECT_FALSE(files().read("steps", 100).has_value());
  EXPECT_FALSE(files().read("steps/a.cu", 3).has_value());
}

}  // namespace
}  // namespace stitch::tools
