// SPDX-License-Identifier: Apache-2.0
#include "runs/evidence/manifest.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"

namespace stitch::runs {
namespace {

namespace fs = std::filesystem;

class Manifest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryDirectory::make("stitchcuda-manifest");
    ASSERT_TRUE(made.has_value());
    directory_.emplace(std::move(made).value());
    write("steps/00_a.cu", "kernel");
    write("plan.json", "{}");
    write("evidence/verify.json", "{\"verdict\": 1}");
    ASSERT_TRUE(write_manifest(folder()).has_value());
  }

  fs::path folder() const { return directory_->path(); }
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(folder() / name, text).has_value());
  }
  ManifestCheck checked() const {
    auto check = check_manifest(folder());
    EXPECT_TRUE(check.has_value());
    return check.has_value() ? *check : ManifestCheck();
  }

 private:
  std::optional<TemporaryDirectory> directory_;
};

TEST_F(Manifest, OfAnUntouchedFolderIsIntact) {
  EXPECT_TRUE(checked().is_intact()) << checked().message();
  EXPECT_EQ(checked().files, 3);
  EXPECT_EQ(checked().digest.size(), 64u);
}

TEST_F(Manifest, NamesWhatWasChangedRemovedAndAdded) {
  write("steps/00_a.cu", "kernel!");
  fs::remove(folder() / "plan.json");
  write("evidence/verdict.json", "ok");
  EXPECT_EQ(checked().message(), "changed: steps/00_a.cu; missing: plan.json; added: evidence/verdict.json");
}

// Python would import what a link leads to, wherever that lies.
TEST_F(Manifest, NamesLinksThatWereAddedOrPutInAFilesPlace) {
  write("notes/torch.py", "mine");
  fs::create_symlink("../../notes/torch.py", folder() / "evidence/torch.py");
  fs::create_directory_symlink("../../notes", folder() / "evidence/layers");
  EXPECT_EQ(checked().message(), "added: evidence/layers, evidence/torch.py");
  fs::rename(folder() / "plan.json", folder() / "notes/plan.json");
  fs::create_symlink("notes/plan.json", folder() / "plan.json");
  EXPECT_EQ(checked().message(), "missing: plan.json; added: evidence/layers, evidence/torch.py");
}

TEST_F(Manifest, LetsTheUserAddFilesOfTheirOwnElsewhere) {
  write("notes.txt", "mine");
  EXPECT_TRUE(checked().is_intact());
}

TEST_F(Manifest, WrittenAnewHasAnotherDigest) {
  const std::string before = checked().digest;
  write("plan.json", "{ }");
  ASSERT_TRUE(write_manifest(folder()).has_value());
  EXPECT_TRUE(checked().is_intact());
  EXPECT_NE(checked().digest, before);
}

TEST_F(Manifest, ThatIsNoneIsRefused) {
  for (const char* text : {"", "[]", "{}", "{\"schema\": \"stitchcuda.manifest/1\"}",
                           "{\"schema\": \"stitchcuda.manifest/1\", \"files\": {\"../../etc/passwd\": \"00\"}}",
                           "{\"schema\": \"stitchcuda.manifest/1\", \"files\": {\"/etc/passwd\": \"00\"}}",
                           "{\"schema\": \"stitchcuda.manifest/1\", \"files\": {\"plan.json\": 7}}"}) {
    write(kManifest, text);
    const auto check = check_manifest(folder());
    ASSERT_FALSE(check.has_value()) << text;
    EXPECT_EQ(check.error().code, ErrorCode::kFileInvalid) << text;
  }
  fs::remove(folder() / kManifest);
  EXPECT_FALSE(check_manifest(folder()).has_value());
}

}  // namespace
}  // namespace stitch::runs
