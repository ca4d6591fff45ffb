// SPDX-License-Identifier: Apache-2.0
// Times as text, merged and looked up; all of them are literal numbers.
#include "tuning/shipped/times_text.h"

#include <gtest/gtest.h>

#include <limits>

#include "tuning/shipped/merge_times.h"
#include "tuning/shipped/shipped_times.h"

namespace stitch::tuning {
namespace {

constexpr const char* kText =
    "stitchcuda.times/1\n"
    "device NVIDIA H200\n"
    "fp32 gemm f1 aaaa 10 64,32\n"
    "  a 1 12.5 0.01\n"
    "  b 4 fails\n"
    "fp32 program - cccc 0 -\n"
    "  channels_last 1 90 0.02\n"
    "tf32 gemm f1 aaaa 10 64,32\n"
    "  a 1 8 0\n";

const Context kFp32{"NVIDIA H200", "nvcc 13.0", "fp32"};
constexpr double kNever = std::numeric_limits<double>::infinity();

StepRecord record(std::vector<int64_t> extents, double modelled_us = 10) {
  return {"gemm", "f1", std::move(extents), modelled_us, "graph g", 0};
}

TEST(TimesText, ComesBackAsItWas) {
  const auto steps = parse_times(kText, "times.txt");
  ASSERT_TRUE(steps.has_value()) << steps.error().message;
  ASSERT_EQ(steps->size(), 3U);
  EXPECT_EQ((*steps)[0].settings[1].setting, (kernels::Setting{"b", 4}));
  EXPECT_EQ((*steps)[0].extents, (std::vector<int64_t>{64, 32}));
  EXPECT_EQ(to_text(*steps), kText);
}

TEST(TimesText, SaysWhichLineIsNone) {
  const std::vector<std::pair<const char*, const char*>> lines = {
      {"times\n", "line 1"},
      {"stitchcuda.times/1\nfp32 gemm f1 aaaa 10 64\n", "line 2"},  // of no device
      {"stitchcuda.times/1\ndevice D\n  a 1 3 0\n", "line 3"},      // of no step
      {"stitchcuda.times/1\ndevice D\nfp32 gemm f1 aaaa ten 64\n", "line 3"},
      {"stitchcuda.times/1\ndevice D\nfp32 gemm f1 aaaa 10 64,3\n", "line 3"},
      {"stitchcuda.times/1\ndevice D\nfp32 gemm f1 aaaa 10 64\n  a 1 nan 0\n", "line 4"},
      {"stitchcuda.times/1\ndevice D\nfp32 gemm f1 aaaa 10 64\n  a 1 -3 0\n", "line 4"},
      {"stitchcuda.times/1\ndevice D\nfp32 gemm f1 aaaa 10 64\n  a 0 3 0\n", "line 4"},
      {"stitchcuda.times/1\ndevice D\nfp32 gemm f1 aaaa 10 64\nfp32 gemm f1 bbbb 10 64\n  a 1 3 0\n", "aaaa"},
      {"stitchcuda.times/1\ndevice D\nfp32 gemm f1 aaaa 10 64\n", "aaaa"},  // cut off
      {"", "empty"},
  };
  for (const auto& [text, said] : lines) {
    const auto steps = parse_times(text, "times.txt");
    ASSERT_FALSE(steps.has_value()) << text;
    EXPECT_EQ(steps.error().code, ErrorCode::kFileInvalid);
    EXPECT_NE(steps.error().message.find(said), std::string::npos) << steps.error().message;
  }
}

TEST(TimesText, KnowsKindsOfDevices) {
  EXPECT_TRUE(is_of_kind("NVIDIA H200", "H200"));
  EXPECT_TRUE(is_of_kind("NVIDIA H100 80GB HBM3", "H100"));
  EXPECT_FALSE(is_of_kind("NVIDIA H100 80GB HBM3", "H200"));
  EXPECT_FALSE(is_of_kind("NVIDIA GH200", "H200"));
}

TEST(MergeTimes, TakesTheSteadiestAndLeavesSlowOnesOut) {
  const Context older{"NVIDIA H200", "nvcc 12.8", "fp32"};
  const std::vector<KnownTime> times = {
      {kFp32, "aaaa", {"a", 1}, {10, 0.2}, record({64, 32})},
      {older, "aaaa", {"a", 1}, {12, 0.1}, record({64, 32})},
      {kFp32, "aaaa", {"slow", 1}, {37, 0}, record({64, 32})},
      {kFp32, "aaaa", {"b", 4}, {kNever, 0}, record({64, 32})},
      {kFp32, "cccc", {"channels_last", 1}, {90, 0}, {}},
      {kFp32, "dddd", {"a", 1}, {5, 0}, {}},
      {kFp32, "cccc", {"whole_0123456789abcdef", 1}, {80, 0}, {}},
  };
  EXPECT_EQ(to_text(merge_times(times)),
            "stitchcuda.times/1\n"
            "device NVIDIA H200\n"
            "fp32 - - dddd 0 -\n"
            "  a 1 5 0\n"
            "fp32 gemm f1 aaaa 10 64,32\n"
            "  a 1 12 0.1\n"
            "  b 4 fails\n"
            "fp32 program - cccc 0 -\n"
            "  channels_last 1 90 0\n");
  EXPECT_EQ(merge_times(times, {.settings_per_step = 1, .within = 9})[1].settings.size(), 2U);  // one, and what fails
}

TEST(MergeTimes, TextsAndDatabasesBecomeOneText) {
  const char* text =
      "stitchcuda.times/1\n"
      "device NVIDIA H200\n"
      "fp32 - - dddd 0 -\n"
      "  a 1 5 0.2\n"
      "fp32 gemm f1 aaaa 10 64,32\n"
      "  a 1 12 0.1\n"
      "  b 4 fails\n";
  std::vector<KnownStep> all = parse_times(text, "times.txt").value();
  EXPECT_EQ(to_text(merge_steps(all)), text);
  const std::vector<KnownStep> own = steps_of({{kFp32, "aaaa", {"a", 1}, {11, 0.05}, record({64, 32})},
                                               {kFp32, "aaaa", {"c", 1}, {9, 0.3}, record({64, 32})},
                                               {kFp32, "dddd", {"a", 1}, {6, 0.3}, record({8, 8})}});
  all.insert(all.end(), own.begin(), own.end());
  EXPECT_EQ(to_text(merge_steps(all)),
            "stitchcuda.times/1\n"
            "device NVIDIA H200\n"
            "fp32 gemm f1 dddd 10 8,8\n"
            "  a 1 5 0.2\n"
            "fp32 gemm f1 aaaa 10 64,32\n"
            "  c 1 9 0.3\n"
            "  a 1 11 0.05\n"
            "  b 4 fails\n");
}

class Shipped : public ::testing::Test {
 protected:
  ShippedTimes times_{parse_times(kText, "times.txt").value(), "NVIDIA H200", "fp32"};
};

TEST_F(Shipped, KnowsTheSameStep) {
  EXPECT_EQ(times_.us("aaaa", {"a", 1}), 12.5);
  EXPECT_EQ(times_.us("aaaa", {"b", 4}), kNever);
  EXPECT_FALSE(times_.us("aaaa", {"a", 2}).has_value());
  EXPECT_FALSE(times_.us("bbbb", {"a", 1}).has_value());
  EXPECT_EQ(times_.us("cccc", {"channels_last", 1}), 90);
  EXPECT_FALSE(times_.carry_over("aaaa", record({64, 32})));  // it has times of its own
}

TEST_F(Shipped, IsOfOneDeviceAndMode) {
  const auto steps = parse_times(kText, "times.txt").value();
  EXPECT_TRUE(ShippedTimes(steps, "NVIDIA H100", "fp32").is_empty());
  EXPECT_EQ(ShippedTimes(steps, "NVIDIA H200", "tf32").us("aaaa", {"a", 1}), 8);
}

TEST_F(Shipped, CarriesTimesOverToSimilarSteps) {
  EXPECT_TRUE(times_.carry_over("bbbb", record({128, 32}, 20)));
  EXPECT_EQ(times_.us("bbbb", {"a", 1}), 25);                  // by the roofline of the two
  EXPECT_FALSE(times_.us("bbbb", {"b", 4}).has_value());       // it may run here
  EXPECT_FALSE(times_.carry_over("bbbb", record({128, 32})));  // done
  EXPECT_FALSE(times_.carry_over("far", record({129, 32})));
  EXPECT_FALSE(times_.carry_over("another kind", record({64, 32, 32})));
  StepRecord other = record({64, 32});
  other.family = "f2";
  EXPECT_FALSE(times_.carry_over("other", other));
  EXPECT_FALSE(times_.us("far", {"a", 1}).has_value());
}

TEST(ShippedNearest, IsByLogarithms) {
  const std::string text =
      "stitchcuda.times/1\ndevice D\n"
      "fp32 gemm f1 aaaa 10 32\n  a 1 1 0\n"
      "fp32 gemm f1 bbbb 10 100\n  a 1 2 0\n";
  ShippedTimes times(parse_times(text, "times.txt").value(), "D", "fp32");
  EXPECT_TRUE(times.carry_over("here", record({60})));  // 1.67 times the one, 1.88 the other
  EXPECT_EQ(times.us("here", {"a", 1}), 2);
}

}  // namespace
}  // namespace stitch::tuning
