// SPDX-License-Identifier: Apache-2.0
// What a device can do, as far as planning asks: the roofline and how many blocks run at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"

namespace stitch::kernels {

struct DeviceLimits {
  std::string name;          // "H200"
  std::string architecture;  // "sm_90a"
  double bytes_per_second = 0;
  double l2_bytes_per_second = 0;      // of hits in the last cache
  double shared_bytes_per_second = 0;  // of shared memory, all multiprocessors together
  double fp32_flops = 0;               // fused multiply-adds on the ordinary pipes, counted as two
  double tf32_flops = 0;               // dense tensor-core rates
  double fp16_flops = 0;
  double lane_operations_per_second = 0;  // additions, comparisons, conversions
  int multiprocessors = 0;
  int shared_bytes_per_block = 0;
  int shared_bytes_per_multiprocessor = 0;
  int cluster_blocks = 0;  // of a cluster, in any launch; 0: there are no clusters
  double launch_us = 2.0;
};

// Every device of device_limits.def; the first is what plans are made for when nothing else is said.
const std::vector<DeviceLimits>& known_devices();
Result<DeviceLimits> device_limits(std::string_view name);

}  // namespace stitch::kernels
