// SPDX-License-Identifier: Apache-2.0
#include "train/torch/runtime.h"

#include <gtest/gtest.h>

#include "base/guard/guarded.h"
#include "base/json/json.h"

namespace stitch::train {
namespace {

TEST(Runtime, NamesDevicesThatAreThere) {
  EXPECT_TRUE(device_named("cpu").value().is_cpu());
  for (const char* name : {"", "gpu", "cuda:", "cuda:x", "cuda:1234", "CPU"}) {
    const auto device = device_named(name);
    ASSERT_FALSE(device.has_value()) << name;
    EXPECT_EQ(device.error().code, ErrorCode::kUsage) << name;
  }
  const auto missing = device_named("cuda:99");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, ErrorCode::kEnvironment);
}

TEST(Runtime, ComputesOnOneThreadAndSaysSo) {
  compute_reproducibly();
  const Json facts = torch_facts();
  EXPECT_EQ(facts["threads"], 1);
  EXPECT_NE(facts["torch"].get<std::string>().find('.'), std::string::npos);
}

// Programs link the C++ runtime that LibTorch's libraries use, or this would end the process.
TEST(Runtime, ALibrarysExceptionIsAnError) {
  const auto product = guarded([] { return at::matmul(at::ones({2, 3}), at::ones({2, 3})); }, ErrorCode::kFileInvalid,
                               "cannot multiply");
  ASSERT_FALSE(product.has_value());
  EXPECT_EQ(product.error().code, ErrorCode::kFileInvalid);
  EXPECT_NE(product.error().message.find("cannot multiply"), std::string::npos);
}

}  // namespace
}  // namespace stitch::train
