// SPDX-License-Identifier: Apache-2.0
// What takes its turn and what goes on meanwhile.
#include "plan/cost/cost.h"

#include <gtest/gtest.h>

namespace stitch::plan {
namespace {

const kernels::DeviceLimits& device() { return kernels::known_devices().front(); }

double work_us(const kernels::Work& work) { return estimated_us(work, device()) - device().launch_us; }

kernels::Work full_device() {
  kernels::Work work;
  work.blocks = int64_t{1} << 20;
  work.blocks_per_multiprocessor = 8;
  return work;
}

TEST(Cost, AnEpilogueHasItsTurnBehindTheProduct) {
  kernels::Work product = full_device();
  product.flops = 1e11;
  kernels::Work epilogue = full_device();
  epilogue.lane_operations = 1e10;
  kernels::Work both = product;
  both.lane_operations = epilogue.lane_operations;
  EXPECT_NEAR(work_us(both), work_us(product) + work_us(epilogue), 1e-6);
  EXPECT_LT(modelled_us(both, device()), modelled_us(product, device()) + 1e-6) << "the roofline is the longest alone";
}

TEST(Cost, MemoryGoesOnMeanwhile) {
  kernels::Work work = full_device();
  work.bytes = 1e9;
  const double alone = work_us(work);
  work.lane_operations = 1e9;
  EXPECT_EQ(work_us(work), alone);
  work.serial_bytes = 1e9;
  EXPECT_GT(work_us(work), 1.9 * alone);
}

TEST(Cost, StepsOneAfterAnotherTakeTheirTimeInEveryRoundOfBlocks) {
  kernels::Work work = full_device();
  work.blocks_per_multiprocessor = 1;
  work.blocks = device().multiprocessors;
  work.serial_us = 500;
  EXPECT_EQ(work_us(work), 500);
  work.bytes = 1e6;
  EXPECT_EQ(work_us(work), 500) << "memory goes on meanwhile";
  ++work.blocks;
  EXPECT_EQ(work_us(work), 1000);
  work.blocks_per_multiprocessor = 2;
  EXPECT_EQ(work_us(work), 500);
}

}  // namespace
}  // namespace stitch::plan
