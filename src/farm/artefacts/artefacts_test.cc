// SPDX-License-Identifier: Apache-2.0
#include "farm/artefacts/artefacts.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"
#include "base/hash/sha256.h"

namespace stitch::farm {
namespace {

namespace fs = std::filesystem;

class ArtefactsTest : public ::testing::Test {
 protected:
  void write(const std::string& place, const std::string& text) {
    ASSERT_TRUE(write_file(folder_.path() / place, text).has_value());
  }
  TemporaryDirectory folder_ = TemporaryDirectory::make("stitchcuda-artefacts").value();
  Artefacts artefacts_{folder_.path() / "shared"};
};

TEST_F(ArtefactsTest, AFolderGoesThereAndBack) {
  write("from/a.cu", "a");
  write("from/steps/b.cu", "b");
  fs::create_symlink("/etc/passwd", folder_.path() / "from/link");
  const std::vector<PlacedFile> files = artefacts_.put_all(folder_.path() / "from", "candidate").value();
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[1].place, "candidate/steps/b.cu");
  ASSERT_TRUE(artefacts_.lay_out(files, folder_.path() / "to").has_value());
  EXPECT_EQ(read_file(folder_.path() / "to/candidate/steps/b.cu").value(), "b");
}

TEST_F(ArtefactsTest, WhatIsNotWhatItsDigestSaysIsRefused) {
  const std::string digest = artefacts_.put("honest").value();
  EXPECT_EQ(artefacts_.get(digest).value(), "honest");
  const fs::path file = artefacts_.folder() / digest.substr(0, 2) / digest;
  ASSERT_TRUE(write_file(file, "forged").has_value());
  EXPECT_NE(artefacts_.get(digest).error().message.find("not what its digest says"), std::string::npos);
  fs::remove(file);
  EXPECT_EQ(artefacts_.get(digest).error().code, ErrorCode::kEnvironment);
  fs::create_symlink("/dev/zero", file);
  EXPECT_FALSE(artefacts_.get(digest).has_value());
  EXPECT_FALSE(artefacts_.get("../../etc/passwd").has_value());
}

TEST_F(ArtefactsTest, NoFileLeavesTheFolder) {
  const std::string digest = artefacts_.put("x").value();
  for (const char* place : {"../x", "/tmp/x", "a/../../x", "", "a\nb", "-x"}) {
    EXPECT_FALSE(artefacts_.lay_out({{place, digest}}, folder_.path() / "to").has_value()) << place;
  }
}

TEST(ArtefactsOf, LieBesideAFileAndAreNamedForAServer) {
  EXPECT_EQ(artefacts_of("sqlite:/a/jobs.db", "").value(), "/a/jobs.db.artefacts");
  EXPECT_EQ(artefacts_of("redis://host", "/shared").value(), "/shared");
  EXPECT_EQ(artefacts_of("redis://host", "").error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace stitch::farm
