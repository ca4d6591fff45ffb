// SPDX-License-Identifier: Apache-2.0
#include "evaluate/processes/gpu_share.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <future>
#include <optional>

#include "base/fs/files.h"

namespace stitch::evaluate {
namespace {

class GpuShareTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryDirectory::make("gpu-share-test");
    ASSERT_TRUE(folder.has_value());
    folder_.emplace(std::move(*folder));
  }
  std::filesystem::path queue() const { return folder_->path() / "gpu.memory"; }
  Result<GpuShare> take(uint64_t bytes) {
    return GpuShare::take(queue(), bytes, 100, [this](uint64_t taken) { told_.set_value(taken); });
  }

  std::optional<TemporaryDirectory> folder_;
  std::promise<uint64_t> told_;
};

TEST_F(GpuShareTest, WhatFitsSideBySideDoesNotWait) {
  const Result<GpuShare> one = take(60);
  const Result<GpuShare> other = take(40);
  EXPECT_TRUE(one.has_value() && other.has_value());
}

TEST_F(GpuShareTest, WhatDoesNotFitWaitsUntilThoseBeforeItAreGone) {
  std::optional<Result<GpuShare>> one = take(60);
  std::future<bool> waits = std::async(std::launch::async, [&] { return take(41).has_value(); });
  EXPECT_EQ(told_.get_future().get(), 60u);
  EXPECT_EQ(waits.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  one.reset();
  EXPECT_TRUE(waits.get());
}

TEST_F(GpuShareTest, NobodyOvertakesOneThatWaitsForAllOfIt) {
  std::optional<Result<GpuShare>> one = take(10);
  std::future<Result<GpuShare>> whole = std::async(std::launch::async, [&] { return take(100); });
  EXPECT_EQ(told_.get_future().get(), 10u);
  told_ = {};
  std::future<bool> small = std::async(std::launch::async, [&] { return take(10).has_value(); });
  EXPECT_EQ(told_.get_future().get(), 110u) << "the one that waits counts like one that has its share";
  one.reset();
  {
    const Result<GpuShare> taken = whole.get();
    EXPECT_EQ(small.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  }
  EXPECT_TRUE(small.get());
}

TEST_F(GpuShareTest, ProcessesThatAreGoneCountNoMore) {
  std::ofstream(queue()) << "1 1 0 100\n1 999999999 5 100\n";
  EXPECT_TRUE(take(100).has_value()) << "process 1 did not begin at 0, the other is none";
}

}  // namespace
}  // namespace stitch::evaluate
