// SPDX-License-Identifier: Apache-2.0
// Bundles on disk: what is written comes back, and nothing outside the folder is ever read.
#include "artifact/source/source_bundle.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"
#include "base/json/json.h"

namespace stitch {
namespace {

class Bundle : public ::testing::Test {
 protected:
  std::string folder() const { return (outer_.path() / "bundle").string(); }

  // The sentence that reading gives when this is the manifest; empty when it is taken.
  std::string refusal(const Json& manifest) {
    EXPECT_TRUE(write_file(std::filesystem::path(folder()) / "bundle.json", manifest.dump()).has_value());
    const auto read = read_bundle(folder());
    return read.has_value() ? "" : read.error().message;
  }

  static Json manifest(const Json& files, const Json& units) {
    return {{"schema", "stitchcuda.bundle/1"}, {"name", "g"}, {"files", files}, {"units", units}};
  }

  TemporaryDirectory outer_ = TemporaryDirectory::make("bundle").value();
};

TEST_F(Bundle, ComesBack) {
  const SourceBundle bundle{"block",
                            {{"steps/00_a.cu", "// a\n"}, {"program.cu", ""}, {"program.h", "\xff\n\"\\"}},
                            {"program.cu", "steps/00_a.cu"}};
  ASSERT_TRUE(write_bundle(bundle, folder()).has_value());
  const auto read = read_bundle(folder());
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->name, bundle.name);
  EXPECT_EQ(read->files, bundle.files);
  EXPECT_EQ(read->units, bundle.units);
}

TEST_F(Bundle, PathsThatLeadOutAreRefused) {
  ASSERT_TRUE(write_file(outer_.path() / "secret.cu", "// outside\n").has_value());
  const std::string outside = (outer_.path() / "secret.cu").string();
  for (const std::string& path : {std::string("../secret.cu"), std::string("steps/../../secret.cu"), outside,
                                  std::string(""), std::string("..")}) {
    EXPECT_EQ(refusal(manifest({path}, Json::array())),
              "member \"files\" holds something other than paths inside the bundle")
        << path;
    EXPECT_EQ(refusal(manifest(Json::array(), {path})),
              "member \"units\" holds something other than paths inside the bundle")
        << path;
  }
}

TEST_F(Bundle, LinksThatLeadOutAreRefused) {
  ASSERT_TRUE(write_file(outer_.path() / "secret.cu", "// outside\n").has_value());
  ASSERT_TRUE(make_directories(folder()).has_value());
  std::filesystem::create_symlink(outer_.path() / "secret.cu", std::filesystem::path(folder()) / "a.cu");
  std::filesystem::create_directory_symlink(outer_.path(), std::filesystem::path(folder()) / "steps");
  EXPECT_EQ(refusal(manifest({"a.cu"}, Json::array())), "a.cu leads outside the bundle's folder");
  EXPECT_EQ(refusal(manifest({"steps/secret.cu"}, Json::array())), "steps/secret.cu leads outside the bundle's folder");
}

TEST_F(Bundle, OtherManifestsAreRefused) {
  ASSERT_TRUE(write_file(std::filesystem::path(folder()) / "a.cu", "").has_value());
  EXPECT_EQ(refusal(manifest({"a.cu"}, {"a.cu"})), "");
  EXPECT_EQ(refusal(manifest({"a.cu"}, {"b.cu"})), "unit b.cu is not among the bundle's files");
  EXPECT_NE(refusal(manifest({"missing.cu"}, Json::array())), "");
  EXPECT_NE(refusal(manifest({3}, Json::array())), "");
  EXPECT_NE(refusal(manifest("a.cu", Json::array())), "");
  EXPECT_NE(refusal(Json::array()), "");
  Json other = manifest({"a.cu"}, {"a.cu"});
  other["schema"] = "stitchcuda.bundle/2";
  EXPECT_EQ(refusal(other), "schema stitchcuda.bundle/2 is not stitchcuda.bundle/1");
}

TEST_F(Bundle, AFolderWithoutAManifestIsRefused) {
  const auto read = read_bundle(folder());
  ASSERT_FALSE(read.has_value());
  EXPECT_FALSE(read.error().message.empty());
}

}  // namespace
}  // namespace stitch
