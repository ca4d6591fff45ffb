// SPDX-License-Identifier: Apache-2.0
// Time from counted work. `modelled_us` is the roofline and nothing else, what reports quote; `estimated_us` adds what
// tells settings of one step apart: work in overhanging tiles, waves of blocks, rates that are really reached.
#pragma once

#include "kernels/template/device_limits.h"
#include "kernels/template/kernel_template.h"

namespace stitch::plan {

// What takes longest of a step by the roofline.
enum class Bound { kLaunches, kMemory, kArithmetic, kLaneOperations };
Bound bound_of(const kernels::Work& work, const kernels::DeviceLimits& limits);

// The time of the launches plus max(bytes / bandwidth, FLOPs / peak), in microseconds.
double modelled_us(const kernels::Work& work, const kernels::DeviceLimits& limits);
double estimated_us(const kernels::Work& work, const kernels::DeviceLimits& limits);

}  // namespace stitch::plan
