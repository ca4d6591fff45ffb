// SPDX-License-Identifier: Apache-2.0
#include "artifact/tensor/host_tensor.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"

namespace stitch {
namespace {

class MappedTensor : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& content) {
    EXPECT_TRUE(write_file(folder_.path() / "x.bin", content).has_value());
    return folder_.path() / "x.bin";
  }

  TemporaryDirectory folder_ = TemporaryDirectory::make("tensor").value();
  TensorSpec spec_{"x", TensorRole::kInput, {DataType::kInt16, {2, 3}}};
};

TEST_F(MappedTensor, ShowsTheFile) {
  const auto tensor = HostTensor::map_file(spec_, file("abcdefghijkl"));
  ASSERT_TRUE(tensor.has_value()) << tensor.error().message;
  ASSERT_EQ(tensor->bytes().size(), 12U);
  EXPECT_EQ(static_cast<char>(tensor->bytes()[11]), 'l');
  EXPECT_EQ(tensor->spec(), spec_);
}

TEST_F(MappedTensor, OutlivesTheFileAndItsOwnCopies) {
  auto tensor = HostTensor::map_file(spec_, file("abcdefghijkl"));
  ASSERT_TRUE(tensor.has_value());
  const HostTensor copy = *tensor;
  tensor = HostTensor::from_bytes({"y", TensorRole::kInput, {DataType::kBool, {1}}}, {std::byte{1}});
  std::filesystem::remove(folder_.path() / "x.bin");
  EXPECT_EQ(static_cast<char>(copy.bytes()[0]), 'a');
  EXPECT_EQ(tensor->bytes().size(), 1U);
}

TEST_F(MappedTensor, RefusesAFileOfAnotherSize) {
  for (const std::string& content : {std::string(), std::string("abcdefghijk"), std::string("abcdefghijklm")}) {
    const auto tensor = HostTensor::map_file(spec_, file(content));
    ASSERT_FALSE(tensor.has_value());
    EXPECT_EQ(tensor.error().code, ErrorCode::kFileInvalid);
    EXPECT_EQ(tensor.error().message, "tensor file holds " + std::to_string(content.size()) + " bytes where x has 12");
  }
}

TEST_F(MappedTensor, RefusesAMissingFile) {
  const auto tensor = HostTensor::map_file(spec_, folder_.path() / "missing.bin");
  ASSERT_FALSE(tensor.has_value());
  EXPECT_EQ(tensor.error().code, ErrorCode::kEnvironment);
  EXPECT_EQ(tensor.error().location, (folder_.path() / "missing.bin").string());
}

TEST_F(MappedTensor, TakesNothing) {
  spec_.type.shape = {0, 3};
  const auto tensor = HostTensor::map_file(spec_, file(""));
  ASSERT_TRUE(tensor.has_value()) << tensor.error().message;
  EXPECT_TRUE(tensor->bytes().empty());
}

}  // namespace
}  // namespace stitch
