// SPDX-License-Identifier: Apache-2.0
#include "profile/judge/bound.h"

#include <fmt/format.h>

#include <algorithm>

namespace stitch::profile {
namespace {

std::optional<double> memory_share_of(const Kernel& kernel, const kernels::DeviceLimits& limits) {
  if (kernel.memory_share.has_value()) {
    return kernel.memory_share;
  }
  if (!kernel.bytes.has_value() || !kernel.time_us.has_value() || !(*kernel.time_us > 0)) {
    return std::nullopt;
  }
  return *kernel.bytes / limits.bytes_per_second / (*kernel.time_us * 1e-6);
}

std::optional<double> compute_share_of(const Kernel& kernel, const kernels::DeviceLimits& limits) {
  if (kernel.compute_share.has_value()) {
    return kernel.compute_share;
  }
  const bool has_work = kernel.flops.has_value() || kernel.tensor_flops.has_value();
  if (!has_work || !kernel.time_us.has_value() || !(*kernel.time_us > 0)) {
    return std::nullopt;
  }
  const double seconds = kernel.flops.value_or(0) / limits.fp32_flops +
                         kernel.tensor_flops.value_or(0) / kernel.tensor_peak.value_or(limits.fp16_flops);
  return seconds / (*kernel.time_us * 1e-6);
}

std::string percent(std::optional<double> share) {
  return share.has_value() ? fmt::format("{:.0f} %", 100 * *share) : "an unknown part";
}

}  // namespace

const char* to_string(Bound bound) {
  switch (bound) {
    case Bound::kMemory:
      return "memory";
    case Bound::kCompute:
      return "compute";
    case Bound::kLatency:
      return "latency";
    case Bound::kHost:
      return "host";
    case Bound::kUnknown:
      return "unknown";
  }
  return "";
}

BoundReason bound_of(const Kernel& kernel, const kernels::DeviceLimits& limits) {
  BoundReason reason;
  reason.memory_share = memory_share_of(kernel, limits);
  reason.compute_share = compute_share_of(kernel, limits);
  if (kernel.time_us.has_value() && kernel.launches > 0) {
    reason.launch_us = *kernel.time_us / kernel.launches;
  }
  const std::string shares = fmt::format("{} of the rate of {}, {} of the busiest pipe's", percent(reason.memory_share),
                                         kernel.memory_name.empty() ? "the device's memory" : kernel.memory_name,
                                         percent(reason.compute_share));
  if (reason.launch_us.has_value() && *reason.launch_us <= limits.launch_us) {
    reason.bound = Bound::kHost;
    reason.why = fmt::format("a launch takes {:.2f} us, no more than the {:.1f} us that launching one costs",
                             *reason.launch_us, limits.launch_us);
    return reason;
  }
  if (!reason.memory_share.has_value() && !reason.compute_share.has_value()) {
    reason.why = "neither its bytes nor its FLOPs are known";
    return reason;
  }
  const double memory = reason.memory_share.value_or(0);
  const double compute = reason.compute_share.value_or(0);
  // Written so that a NaN lands on latency, which claims nothing of the device.
  if (memory >= kBusyShare && memory >= compute) {
    reason.bound = Bound::kMemory;
    reason.why = shares;
  } else if (compute >= kBusyShare) {
    reason.bound = Bound::kCompute;
    reason.why = shares;
  } else {
    reason.bound = Bound::kLatency;
    reason.why = shares + fmt::format(": neither reaches {:.0f} %, so it waits", 100 * kBusyShare);
  }
  return reason;
}

}  // namespace stitch::profile
