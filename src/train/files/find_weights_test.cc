// SPDX-License-Identifier: Apache-2.0
#include "train/files/find_weights.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"

namespace stitch::train {
namespace {

namespace fs = std::filesystem;

class FindWeights : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& text = "{}") {
    const fs::path path = folder_->path() / name;
    ASSERT_TRUE(make_directories(path.parent_path()).has_value());
    ASSERT_TRUE(write_file(path, text).has_value());
  }
  // "MODEL ADAPTER" relative to the folder, or the error.
  std::string found(const std::string& name) {
    const Result<FoundWeights> weights = find_weights(folder_->path() / name);
    if (!weights.has_value()) {
      return weights.error().message;
    }
    const auto relative = [&](const fs::path& path) {
      return path.empty() ? std::string("none") : path.lexically_relative(folder_->path()).string();
    };
    return relative(weights->model) + " " + relative(weights->adapter);
  }

  Result<TemporaryDirectory> folder_ = TemporaryDirectory::make("stitchcuda-weights");
};

TEST_F(FindWeights, AFileOrAFolderOfAModel) {
  put("small.gguf");
  put("base/config.json");
  put("step-2/model/config.json");
  EXPECT_EQ(found("small.gguf"), "small.gguf none");
  EXPECT_EQ(found("base"), "base none");
  EXPECT_EQ(found("step-2"), "step-2/model none");
}

TEST_F(FindWeights, AnAdapterWithItsBase) {
  put("base/config.json");
  put("step-2/adapter/adapter_config.json",
      R"({"base_model_name_or_path": ")" + (folder_->path() / "base").string() + R"("})");
  EXPECT_EQ(found("step-2"), "base step-2/adapter");
  EXPECT_EQ(found("step-2/adapter"), "base step-2/adapter");
  put("step-2/base.gguf");
  EXPECT_EQ(found("step-2"), "step-2/base.gguf step-2/adapter");
  put("step-3/adapter/adapter_config.json", R"({"base_model_name_or_path": "gone"})");
  EXPECT_EQ(found("step-3"), "the base of the adapter is not where its config says");
  put("step-4/adapter/adapter_config.json", "[nothing");
  EXPECT_EQ(found("step-4"), "the base of the adapter is not where its config says");
}

TEST_F(FindWeights, NothingIsToldFromSomethingElse) {
  put("other/readme");
  EXPECT_EQ(found("other"), "the folder holds neither a model nor an adapter");
  EXPECT_EQ(found("gone"), "there are no weights");
}

}  // namespace
}  // namespace stitch::train
