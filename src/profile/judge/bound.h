// SPDX-License-Identifier: Apache-2.0
// What bounds a kernel, with the numbers that decide it. One rule for all rungs.
#pragma once

#include <optional>
#include <string>

#include "kernels/template/device_limits.h"
#include "profile/values/measurement.h"

namespace stitch::profile {

enum class Bound { kMemory, kCompute, kLatency, kHost, kUnknown };
const char* to_string(
    Bound bound);  // "memory", "compute", "latency", "host", "unknown": as `docs search --bound` has them

struct BoundReason {
  Bound bound = Bound::kUnknown;
  std::optional<double> memory_share;   // of the device's rate, 0 to 1
  std::optional<double> compute_share;  // likewise
  std::optional<double> launch_us;      // of one launch
  std::string why;                      // a sentence with the numbers
};

// A launch that takes no longer than the host needs for the next one is the host's. Else a kernel that reaches
// kBusyShare of memory's rate or of a pipe's is bound by the greater of the two, and one that reaches neither waits:
// latency. `limits` of the device that the times are for.
inline constexpr double kBusyShare = 0.4;
BoundReason bound_of(const Kernel& kernel, const kernels::DeviceLimits& limits);

}  // namespace stitch::profile
