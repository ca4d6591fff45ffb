// SPDX-License-Identifier: Apache-2.0
#include "plan/cost/cost.h"

#include <algorithm>
#include <cmath>

namespace stitch::plan {
namespace {

constexpr double kMicrosecondsPerSecond = 1e6;

double peak_flops(kernels::Pipe pipe, const kernels::DeviceLimits& limits) {
  switch (pipe) {
    case kernels::Pipe::kFp32:
      return limits.fp32_flops;
    case kernels::Pipe::kTf32:
      return limits.tf32_flops;
    case kernels::Pipe::kFp16:
      return limits.fp16_flops;
  }
  return limits.fp32_flops;
}

// How evenly the blocks spread: the busiest multiprocessor sets the time.
double balance(const kernels::Work& work, const kernels::DeviceLimits& limits, double* deepest) {
  const auto blocks = static_cast<double>(work.blocks);
  *deepest = std::ceil(blocks / limits.multiprocessors);
  return blocks / (*deepest * limits.multiprocessors);
}

// The share of the device's arithmetic that is busy, averaged over the launch. A multiprocessor with fewer blocks than
// it could hold hides less latency, though not much less: measured on an H200, one block alone reaches 3/4 and more.
double occupancy(const kernels::Work& work, const kernels::DeviceLimits& limits) {
  constexpr double kAlone = 0.75;
  double deepest = 1;
  const double even = balance(work, limits, &deepest);
  const double resident = std::min<double>(deepest, work.blocks_per_multiprocessor);
  return even * (kAlone + (1 - kAlone) * resident / work.blocks_per_multiprocessor);
}

// A third of the threads that fit on the device already saturates its memory; arithmetic needs nearly all blocks.
constexpr double kEnoughForMemory = 1.0 / 3;

double threads_in_flight(const kernels::Work& work, const kernels::DeviceLimits& limits) {
  constexpr double kThreadsPerMultiprocessor = 2048;
  const double blocks = std::min<double>(static_cast<double>(work.blocks),
                                         static_cast<double>(limits.multiprocessors) * work.blocks_per_multiprocessor);
  return blocks * work.threads_per_block / (kThreadsPerMultiprocessor * limits.multiprocessors);
}

}  // namespace

double modelled_us(const kernels::Work& work, const kernels::DeviceLimits& limits) {
  const double memory = work.bytes / limits.bytes_per_second;
  const double compute = work.flops / peak_flops(work.pipe, limits);
  const double lanes = work.lane_operations / limits.lane_operations_per_second;
  return work.launches * limits.launch_us + std::max({memory, compute, lanes}) * kMicrosecondsPerSecond;
}

Bound bound_of(const kernels::Work& work, const kernels::DeviceLimits& limits) {
  const double memory = work.bytes / limits.bytes_per_second;
  const double compute = work.flops / peak_flops(work.pipe, limits);
  const double lanes = work.lane_operations / limits.lane_operations_per_second;
  const double longest = std::max({memory, compute, lanes});
  if (work.launches * limits.launch_us > longest * kMicrosecondsPerSecond) {
    return Bound::kLaunches;
  }
  if (longest == memory) {
    return Bound::kMemory;
  }
  return longest == compute ? Bound::kArithmetic : Bound::kLaneOperations;
}

double estimated_us(const kernels::Work& work, const kernels::DeviceLimits& limits) {
  const double busy = occupancy(work, limits);
  double deepest = 1;
  const double even = balance(work, limits, &deepest);
  // With at most one block on each multiprocessor the threads in flight already tell how few there are.
  const double memory_busy =
      (deepest > 1 ? even : 1.0) * std::min(1.0, threads_in_flight(work, limits) / kEnoughForMemory);
  const double memory = (work.bytes + work.extra_bytes) / (limits.bytes_per_second * work.bandwidth_share);
  const double compute = std::max(work.flops, work.padded_flops) / (peak_flops(work.pipe, limits) * work.peak_share);
  // What follows from a product is computed when its sums are there: the lanes have their turn behind the arithmetic.
  const double lanes = work.lane_operations / limits.lane_operations_per_second;
  const double serial = work.serial_bytes / limits.bytes_per_second;
  const double rounds = std::ceil(deepest / work.blocks_per_multiprocessor);
  const double together = std::max(memory / memory_busy, (compute + lanes) / busy) * kMicrosecondsPerSecond;
  return work.launches * limits.launch_us + serial * kMicrosecondsPerSecond +
         std::max(together, rounds * work.serial_us);
}

}  // namespace stitch::plan
