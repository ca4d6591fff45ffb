// SPDX-License-Identifier: Apache-2.0
#include "plan/executed/executed.h"

#include <gtest/gtest.h>

namespace stitch::plan {
namespace {

// A device with round numbers: a microsecond is 1,000 bytes of memory, 2,000 of L2, 10,000 of shared memory, 4,000
// FLOPs, 16,000 in TF32 and 32,000 in 16 bits.
kernels::DeviceLimits round_device() {
  kernels::DeviceLimits limits;
  limits.bytes_per_second = 1e9;
  limits.l2_bytes_per_second = 2e9;
  limits.shared_bytes_per_second = 1e10;
  limits.fp32_flops = 4e9;
  limits.tf32_flops = 1.6e10;
  limits.fp16_flops = 3.2e10;
  limits.launch_us = 2;
  limits.multiprocessors = 10;
  return limits;
}

LaunchRecord record_of(int64_t step, const MemoryAccesses& accesses, int64_t launches = 1) {
  LaunchRecord record;
  record.name = "kernel";
  record.line = 1;
  record.launches = launches;
  record.step = step;
  record.accesses = accesses;
  return record;
}

// Reads and writes so much, with no more sectors than that takes.
MemoryAccesses straight(int64_t bytes) {
  return {.bytes_read = bytes / 2,
          .bytes_written = bytes / 2,
          .sectors_read = bytes / 64,
          .sectors_written = bytes / 64,
          .sectors_missed = bytes / 64};
}

Execution executed(const std::vector<LaunchRecord>& records, const LeastWork& ran, const LeastWork& declared) {
  return execution_of(records, {{ran}, ran}, {{declared}, declared}, round_device());
}

TEST(Executed, TakesTheLongestOfWhatALaunchDoes) {
  const LeastWork least{.flops = 400, .bytes = 6400};
  const auto one = [&](const MemoryAccesses& accesses) { return executed({record_of(0, accesses)}, least, least); };
  EXPECT_DOUBLE_EQ(one(straight(6400)).executed_us, 2 + 6.4);
  EXPECT_EQ(one(straight(6400)).steps[0].bound, ExecutedBound::kMemory);

  MemoryAccesses scattered = straight(6400);
  scattered.sectors_written = 1000;
  EXPECT_DOUBLE_EQ(one(scattered).executed_us, 2 + (1000 + 100) * 32 / 2000.0);
  EXPECT_EQ(one(scattered).steps[0].bound, ExecutedBound::kL2);

  MemoryAccesses conflicts = straight(6400);
  conflicts.wavefronts = 1000;
  EXPECT_DOUBLE_EQ(one(conflicts).executed_us, 2 + 12.8);
  EXPECT_EQ(one(conflicts).steps[0].bound, ExecutedBound::kSharedMemory);
}

TEST(Executed, ArithmeticIsThatOfThePipeThatRan) {
  const LeastWork least{.flops = 64000, .bytes = 64};
  MemoryAccesses accesses = straight(64);
  EXPECT_DOUBLE_EQ(executed({record_of(0, accesses)}, least, least).executed_us, 2 + 16);
  accesses.tf32_flops = 64000;
  EXPECT_DOUBLE_EQ(executed({record_of(0, accesses)}, least, least).executed_us, 2 + 4);
  accesses.tf32_flops = 0;
  accesses.half_flops = 3 * 64000;  // operands in two parts
  EXPECT_DOUBLE_EQ(executed({record_of(0, accesses)}, least, least).executed_us, 2 + 6);
  accesses.half_flops = 32000;  // the rest was done elsewhere
  EXPECT_DOUBLE_EQ(executed({record_of(0, accesses)}, least, least).executed_us, 2 + 1 + 8);
}

TEST(Executed, LaunchesFollowEachOther) {
  const LeastWork least{.flops = 0, .bytes = 3200};
  const Execution two = executed({record_of(0, straight(1600)), record_of(0, straight(1600))}, least, least);
  EXPECT_DOUBLE_EQ(two.executed_us, 2 * (2 + 1.6));
  EXPECT_DOUBLE_EQ(executed({record_of(0, straight(1600), 2)}, least, least).executed_us, two.executed_us);
  EXPECT_DOUBLE_EQ(two.steps[0].counts.bytes, 3200);
}

// A product: operands grow with the square of its edge, what is read again and again with its cube.
TEST(Executed, WhatIsBeyondTheLeastGrowsWithTheArithmetic) {
  const LeastWork ran{.flops = 100, .bytes = 3200};
  const LeastWork declared{.flops = 800, .bytes = 12800};
  MemoryAccesses accesses = straight(3200);
  accesses.sectors_read += 50;
  accesses.wavefronts = 7;
  const Execution found = executed({record_of(0, accesses)}, ran, declared);
  EXPECT_DOUBLE_EQ(found.steps[0].counts.bytes, 12800);
  EXPECT_DOUBLE_EQ(found.steps[0].counts.sectors, 400 + 8 * 50);
  EXPECT_DOUBLE_EQ(found.steps[0].counts.wavefronts, 56);
  EXPECT_EQ(found.steps[0].counted.sectors(), 150);  // as it ran
}

// What L1 has does not go to L2 again; what is written does.
TEST(Executed, SectorsThatL1HasAreNotReadFromL2) {
  const LeastWork least{.flops = 0, .bytes = 640};
  MemoryAccesses accesses = straight(640);
  accesses.sectors_read = 5000;
  accesses.sectors_missed = 500;
  const Execution found = executed({record_of(0, accesses)}, least, least);
  EXPECT_DOUBLE_EQ(found.executed_us, 2 + (500 + 10) * 32 / 2000.0);
  EXPECT_DOUBLE_EQ(found.steps[0].counts.sectors, 5010);
  EXPECT_DOUBLE_EQ(found.steps[0].counts.missed, 510);
}

// Where it runs with blocks, what they do one after another counts: 20,000 waits are far more than the rates.
TEST(Executed, BlocksThatWaitTakeTime) {
  const LeastWork least{.flops = 0, .bytes = 6400};
  LaunchRecord record = record_of(0, straight(6400), 2);
  record.blocks = 2 * 10;
  record.threads = 2 * 10 * 256;
  const double quick = executed({record}, least, least).executed_us;
  record.accesses->memory_waits = 10 * 1000;
  const Execution slow = executed({record}, least, least);
  EXPECT_GT(slow.executed_us, 10 * quick);
  EXPECT_EQ(slow.steps[0].bound, ExecutedBound::kLatency);
  EXPECT_EQ(slow.steps[0].kernels.size(), 1u);
}

// As many times the launches as the plan has of them; none of them grows.
TEST(Executed, MoreStepsOfTimeAreMoreLaunches) {
  const LeastWork ran{.flops = 100, .bytes = 3200, .launches = 2};
  const LeastWork declared{.flops = 1000, .bytes = 32000, .launches = 20};
  const Execution found = executed({record_of(0, straight(1600), 2)}, ran, declared);
  EXPECT_DOUBLE_EQ(found.steps[0].counts.launches, 20);
  EXPECT_DOUBLE_EQ(found.executed_us, 20 * (2 + 1.6));
}

TEST(Executed, NothingIsBelowTheLeast) {
  const LeastWork least{.flops = 40000, .bytes = 6400};
  const Execution hidden = executed({record_of(0, {})}, least, least);
  EXPECT_DOUBLE_EQ(hidden.executed_us, 2 + 10);
  EXPECT_DOUBLE_EQ(hidden.steps[0].counts.bytes, 6400);
  EXPECT_DOUBLE_EQ(hidden.steps[0].counts.sectors, 200);
}

// Its own accesses are nobody's to see.
TEST(Executed, ALibraryIsHeldToTheLeastOnItsPipe) {
  const LeastWork least{.flops = 64000, .bytes = 1000, .launches = 1, .pipe = kernels::Pipe::kTf32};
  LaunchRecord library = record_of(0, {});
  library.line = 0;
  library.name = "cublasLtMatmul";
  library.library_flops = 64000;
  LaunchRecord nothing = record_of(0, {});
  nothing.line = 0;
  nothing.name = "cudaMalloc";
  EXPECT_DOUBLE_EQ(executed({library, nothing}, least, least).executed_us, 2 + 4);
}

TEST(Executed, LaunchesOutsideOfStepsAreOnALineOfTheirOwn) {
  const LeastWork least{.flops = 0, .bytes = 1600};
  const Execution found = executed({record_of(0, straight(1600)), record_of(-1, straight(3200))}, least, least);
  ASSERT_EQ(found.steps.size(), 2u);
  EXPECT_EQ(found.steps[0].step, -1);
  EXPECT_DOUBLE_EQ(found.steps[0].executed_us, 2 + 3.2);
  EXPECT_DOUBLE_EQ(found.executed_us, 2 + 3.2 + 2 + 1.6);
  // A program without steps is held against the whole.
  EXPECT_DOUBLE_EQ(executed({record_of(-1, {})}, least, least).executed_us, 2 + 1.6);
  // A step that there is not is none.
  EXPECT_EQ(executed({record_of(5, straight(1600))}, least, least).steps[0].step, -1);
}

}  // namespace
}  // namespace stitch::plan
