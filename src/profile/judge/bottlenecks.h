// SPDX-License-Identifier: Apache-2.0
// From figures to what to do: which kernels matter, and the three things at most whose removal gains most.
#pragma once

#include <string>
#include <vector>

#include "profile/judge/bound.h"

namespace stitch::profile {

// Kernels that together take this share of the time of all are dominant, the longest first.
inline constexpr double kDominantShare = 0.9;
// Indices into `kernels`, the longest first; those without a time are never among them.
std::vector<size_t> dominant_kernels(const std::vector<Kernel>& kernels);

struct Bottleneck {
  std::string subject;  // "kernel fc1_gelu", "the host", "copies, host to device"
  Bound bound = Bound::kUnknown;
  double share = 0;    // of the time of a call
  double gain_us = 0;  // of a call, were it removed
  double gain = 1;     // times as fast as now
  std::string reason;
};

inline constexpr size_t kMaxBottlenecks = 3;
// The greatest gain first. What would gain less than one percent is none.
std::vector<Bottleneck> bottlenecks_of(const Measurement& measured, const kernels::DeviceLimits& limits);

// Of one call: the wall clock's where it was seen, else the sum of its kernels.
double call_us(const Measurement& measured);

}  // namespace stitch::profile
