// SPDX-License-Identifier: Apache-2.0
#include "plan/executed/launch_time.h"

#include <gtest/gtest.h>

namespace stitch::plan {
namespace {

// Ten multiprocessors at 1 GHz: a microsecond is 1,000 cycles. Memory and L2 are too fast to matter.
kernels::DeviceLimits ten_multiprocessors() {
  kernels::DeviceLimits limits;
  limits.bytes_per_second = 1e15;
  limits.l2_bytes_per_second = 1e15;
  limits.shared_bytes_per_second = 10 * 128 * 1e9;
  limits.fp32_flops = 1e13;  // 1,000 a cycle of a multiprocessor
  limits.tf32_flops = 1e14;
  limits.fp16_flops = 2e14;
  limits.launch_us = 2;
  limits.multiprocessors = 10;
  limits.shared_bytes_per_multiprocessor = 228 << 10;
  return limits;
}

LaunchWork blocks_of(double blocks, double threads) { return {.blocks = blocks, .threads = blocks * threads}; }

double us(const LaunchWork& work) { return time_of_launch(work, ten_multiprocessors()).us; }

// 500 cycles at least, 800 each time that it waits; 100 for its start, and half of the 10 that 40 instructions take.
TEST(LaunchTime, OneBlockWaitsByItself) {
  LaunchWork work = blocks_of(1, 32);
  work.memory_waits = 10;
  EXPECT_NEAR(us(work), 2 + 0.5 + 10 * 0.8 + 0.105, 1e-9);
  EXPECT_EQ(time_of_launch(work, ten_multiprocessors()).bound, ExecutedBound::kLatency);
  work.shared_waits = 100;
  EXPECT_NEAR(us(work), 2 + 0.5 + 10 * 0.8 + 100 * 0.03 + 0.105, 1e-9);
  work.barriers = 32 * 10;  // ten that each thread crosses: 10 accesses, too
  EXPECT_NEAR(us(work), 2 + 0.5 + 10 * 0.8 + 100 * 0.03 + 10 * 0.04 + 0.1 + 0.5 * 0.020, 1e-9);
}

// As many blocks as there are multiprocessors take as long as one of them.
TEST(LaunchTime, BlocksOnDifferentMultiprocessorsWaitTogether) {
  LaunchWork work = blocks_of(1, 256);
  work.memory_waits = 100;
  const double one = us(work);
  work = blocks_of(10, 256);
  work.memory_waits = 10 * 100;
  EXPECT_NEAR(us(work), one, 1e-9);
}

// The same waits shared by fewer blocks take longer: a block waits for itself.
TEST(LaunchTime, FewBlocksWithMuchToWaitForTakeLonger) {
  LaunchWork few = blocks_of(10, 256);
  LaunchWork many = blocks_of(80, 256);
  few.memory_waits = many.memory_waits = 8000;
  EXPECT_GT(us(few), 6 * us(many));
}

// Eight blocks of 256 threads fit on a multiprocessor, or two with 100 KB of shared memory each.
TEST(LaunchTime, WhatFitsAtOnceHidesWaiting) {
  LaunchWork work = blocks_of(10 * 80, 256);
  work.memory_waits = work.blocks * 10;
  const double roomy = us(work);
  work.shared_bytes = 100 << 10;
  EXPECT_GT(us(work), 3 * roomy);
  EXPECT_LT(us(work), 5 * roomy);
}

TEST(LaunchTime, TheBusiestPartIsTheLeast) {
  LaunchWork work = blocks_of(10 * 100, 256);
  work.wavefronts = work.blocks * 5000;
  const LaunchTime time = time_of_launch(work, ten_multiprocessors());
  EXPECT_EQ(time.bound, ExecutedBound::kSharedMemory);
  EXPECT_GT(time.us, 2 + 500);
  EXPECT_LT(time.us, 2 + 500 * 1.1);
}

// Threads that have nothing to do are started and issue what all do.
TEST(LaunchTime, WarpsCostInstructions) {
  LaunchWork work = blocks_of(10 * 100, 32);
  work.requests = work.blocks * 100;
  const double lean = us(work);
  work = blocks_of(10 * 100, 1024);
  work.requests = work.blocks * 100;
  EXPECT_EQ(time_of_launch(work, ten_multiprocessors()).bound, ExecutedBound::kInstructions);
  EXPECT_GT(us(work), 1.5 * lean);
}

// Instructions of single warps reach 62 % of what those of warp groups do, where there are such.
TEST(LaunchTime, TensorCoresAreAsFastAsTheirInstructions) {
  kernels::DeviceLimits limits = ten_multiprocessors();
  LaunchWork work;
  work.half_flops = 2e10;
  EXPECT_NEAR(time_of_launch(work, limits).us, 2 + 100, 1e-9);
  limits.architecture = "sm_90a";
  EXPECT_NEAR(time_of_launch(work, limits).us, 2 + 100 / 0.62, 1e-9);
  work.group_flops = work.half_flops;
  EXPECT_NEAR(time_of_launch(work, limits).us, 2 + 100, 1e-9);
}

TEST(LaunchTime, WithoutBlocksTheRatesOfTheDeviceDecide) {
  LaunchWork work;
  work.bytes = 1e9;
  work.memory_waits = 1e6;
  EXPECT_NEAR(us(work), 2 + 1, 1e-9);
  EXPECT_EQ(time_of_launch({}, ten_multiprocessors()).bound, ExecutedBound::kLaunches);
  EXPECT_DOUBLE_EQ(us({}), 2);
}

}  // namespace
}  // namespace stitch::plan
