// SPDX-License-Identifier: Apache-2.0
#include "synth/filters/eager_time.h"

#include <algorithm>

namespace stitch::synth {
namespace {

constexpr double kHostUs = 6;             // of PyTorch's dispatcher for one operator, without a graph
constexpr double kMaxElements = 1 << 30;  // 4 GiB of float32
constexpr double kMaxBytes = 16e9;        // of what one operator reads and writes, and of parameters

}  // namespace

EagerTime eager_time(const TaskFacts& facts, const kernels::DeviceLimits& device) {
  EagerTime time;
  double us = 0;
  for (const OperatorWork& work : facts.work) {
    const double flops_per_second = (work.is_16_bit ? device.fp16_flops : device.fp32_flops);
    us += 1e6 * std::max(work.bytes / device.bytes_per_second, work.flops / flops_per_second);
  }
  time.launches = facts.work.size();
  time.work_ms = us / 1000;
  time.ms = time.work_ms + static_cast<double>(time.launches) * device.launch_us / 1000;
  return time;
}

bool is_gpu_bound(const EagerTime& time) { return time.work_ms >= static_cast<double>(time.launches) * kHostUs / 1000; }

bool fits_memory(const TaskFacts& facts) {
  const auto fits = [](const OperatorWork& work) { return work.bytes <= kMaxBytes; };
  return facts.largest <= kMaxElements && facts.parameter_bytes <= kMaxBytes &&
         std::all_of(facts.work.begin(), facts.work.end(), fits);
}

}  // namespace stitch::synth
