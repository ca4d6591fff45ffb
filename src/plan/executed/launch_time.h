// SPDX-License-Identifier: Apache-2.0
// The time of one launch of a kernel: what its blocks do, held against the rates of a device and of its
// multiprocessors (docs/executed.md).
#pragma once

#include "kernels/template/device_limits.h"

namespace stitch::plan {

inline constexpr double kSectorBytes = 32;
inline constexpr double kWarpThreads = 32;

// What took longest of a launch, or of most of a step's time.
enum class ExecutedBound { kLaunches, kMemory, kL2, kSharedMemory, kArithmetic, kInstructions, kLatency };
// "launches", "memory", "L2", "shared memory", "arithmetic", "instructions", "latency"
const char* to_string(ExecutedBound bound);

// All blocks of a launch together. Without blocks nobody knows how it was spread, and its rates are those of the
// device.
struct LaunchWork {
  double blocks = 0;
  double threads = 0;
  double shared_bytes = 0;  // of one block
  double bytes = 0;         // of global memory, each once
  double sectors = 0;       // of 32 bytes, each once a warp's access
  double missed = 0;        // of those, what L1 does not have, and all that is written
  double requests = 0;      // accesses of warps to global memory, and to shared memory
  double shared_requests = 0;
  double wavefronts = 0;
  double shuffles = 0;  // operations of a warp that are no products
  double matrix_operations = 0;
  double barriers = 0;  // crossings, one a thread
  double memory_waits = 0;
  double shared_waits = 0;
  double tf32_flops = 0;  // of tensor cores
  double half_flops = 0;
  double group_flops = 0;  // of half_flops
  double flops = 0;        // on the ordinary pipes
};

struct LaunchTime {
  double us = 0;
  ExecutedBound bound = ExecutedBound::kLaunches;
};
LaunchTime time_of_launch(const LaunchWork& work, const kernels::DeviceLimits& limits);

}  // namespace stitch::plan
