// SPDX-License-Identifier: Apache-2.0
#include "profile/judge/bottlenecks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace stitch::profile {
namespace {

constexpr double kLeastGain = 0.01;

double kernels_us(const std::vector<Kernel>& kernels) {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0,
                         [](double sum, const Kernel& kernel) { return sum + kernel.time_us.value_or(0); });
}

// What is left of a kernel that does only what it must. A kernel whose least work nobody knows could at best use the
// whole of what it is bound by.
double least_us(const Kernel& kernel, const BoundReason& reason) {
  const double now = kernel.time_us.value_or(0);
  if (kernel.floor_us.has_value()) {
    return std::min(now, *kernel.floor_us);
  }
  const double share = std::max(reason.memory_share.value_or(0), reason.compute_share.value_or(0));
  return share >= 0 && share <= 1 && (reason.memory_share.has_value() || reason.compute_share.has_value()) ? now * share
                                                                                                           : now;
}

const char* what_removal_means(Bound bound) {
  switch (bound) {
    case Bound::kMemory:
      return "moving only the bytes that it must, at the memory's full rate";
    case Bound::kCompute:
      return "doing only the FLOPs that it must, at its pipe's full rate";
    case Bound::kLatency:
      return "more work in flight: larger or more blocks, more loads ahead, fewer barriers";
    case Bound::kHost:
      return "joining it to a neighbour, or one CUDA graph for all";
    case Bound::kUnknown:
      break;
  }
  return "using the device to the full";
}

void add_host(const Measurement& measured, std::vector<Bottleneck>& found) {
  if (!measured.system.has_value()) {
    return;
  }
  const SystemFigures& system = *measured.system;
  const double idle_us = system.wall_us - system.busy_us;
  found.push_back(
      {"the host", Bound::kHost, system.idle_share(), idle_us, 1,
       fmt::format("the device is idle for {:.1f} of {:.1f} us ({:.0f} %), {:.0f} launches a call, {:.1f} us "
                   "of the host in CUDA's functions; gain: one CUDA graph, fewer launches",
                   idle_us, system.wall_us, 100 * system.idle_share(), system.launches, system.host_us)});
  for (const Copies& copies : system.copies) {
    if (copies.kind.find("host") != std::string::npos) {
      found.push_back(
          {"copies, " + copies.kind, Bound::kHost, copies.time_us / system.wall_us, copies.time_us, 1,
           fmt::format("{:.0f} copies of {:.3f} MB take {:.1f} us; gain: keep the data where it is used, or "
                       "copy beside the kernels",
                       copies.count, copies.bytes * 1e-6, copies.time_us)});
    }
  }
}

}  // namespace

std::vector<size_t> dominant_kernels(const std::vector<Kernel>& kernels) {
  std::vector<size_t> order;
  for (size_t index = 0; index < kernels.size(); ++index) {
    if (kernels[index].time_us.value_or(0) > 0) {
      order.push_back(index);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t left, size_t right) { return *kernels[left].time_us > *kernels[right].time_us; });
  const double all = kernels_us(kernels);
  double sum = 0;
  size_t count = 0;
  while (count < order.size() && sum < kDominantShare * all) {
    sum += *kernels[order[count++]].time_us;
  }
  order.resize(count);
  return order;
}

double call_us(const Measurement& measured) {
  return measured.system.has_value() ? measured.system->wall_us : kernels_us(measured.kernels);
}

std::vector<Bottleneck> bottlenecks_of(const Measurement& measured, const kernels::DeviceLimits& limits) {
  const double all_us = call_us(measured);
  std::vector<Bottleneck> found;
  for (const size_t index : dominant_kernels(measured.kernels)) {
    const Kernel& kernel = measured.kernels[index];
    const BoundReason reason = bound_of(kernel, limits);
    const double gain_us = *kernel.time_us - least_us(kernel, reason);
    found.push_back({"kernel " + kernel.name, reason.bound, *kernel.time_us / all_us, gain_us, 1,
                     fmt::format("{}; gain: {}", reason.why, what_removal_means(reason.bound))});
  }
  add_host(measured, found);
  std::erase_if(found, [&](const Bottleneck& each) { return !(each.gain_us >= kLeastGain * all_us && all_us > 0); });
  std::stable_sort(found.begin(), found.end(),
                   [](const Bottleneck& left, const Bottleneck& right) { return left.gain_us > right.gain_us; });
  if (found.size() > kMaxBottlenecks) {
    found.resize(kMaxBottlenecks);
  }
  for (Bottleneck& each : found) {
    const double left_us = all_us - each.gain_us;
    each.gain = left_us > 0 ? all_us / left_us : std::numeric_limits<double>::infinity();
  }
  return found;
}

}  // namespace stitch::profile
