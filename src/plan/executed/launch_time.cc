// SPDX-License-Identifier: Apache-2.0
#include "plan/executed/launch_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace stitch::plan {
namespace {

constexpr double kMicroseconds = 1e6;
constexpr double kWavefrontBytes = 128;

// Of a multiprocessor, the same since Volta.
constexpr double kThreads = 2048;
constexpr double kMaxBlocks = 32;
constexpr double kOwnSharedBytes = 1024;  // of each block
constexpr double kIssued = 4;             // instructions of warps in a cycle
constexpr double kL2BytesACycle = 64;     // from and to L2
constexpr double kFusedFlops = 64;        // of one instruction of a warp
// Cycles. Latencies are what microbenchmarks of Hopper find, those of memory under load.
constexpr double kMemoryLatency = 800;
constexpr double kSharedLatency = 30;
constexpr double kShuffleLatency = 25;
constexpr double kBarrierLatency = 40;
constexpr double kStartLatency = 500;  // of a block: its first instructions and its last stores
constexpr double kBlockStart = 100;    // between the starts of two blocks on one multiprocessor
// Instructions: with each access and each operation of a warp, addresses, conditions and arithmetic; of each warp, what
// it does once.
constexpr double kWithEach = 4;
constexpr double kOnce = 40;
// Warps do other things while one waits, but not perfectly: of what takes less than the longest, so much is added.
constexpr double kNotHidden = 0.5;

constexpr size_t kKinds = 6;

// Cycles that one block would keep each part of its multiprocessor busy.
struct BlockCycles {
  std::array<std::pair<double, ExecutedBound>, kKinds> busy;
  double latency = 0;  // that its slowest warp waits, were it alone

  std::pair<double, ExecutedBound> longest() const {
    return *std::max_element(busy.begin(), busy.end(),
                             [](const auto& left, const auto& right) { return left.first < right.first; });
  }
  double sum() const {
    double sum = 0;
    for (const auto& [cycles, bound] : busy) {
      sum += cycles;
    }
    return sum;
  }
};

double clock_of(const kernels::DeviceLimits& limits) {
  return limits.shared_bytes_per_second / kWavefrontBytes / limits.multiprocessors;
}

// Of the tensor cores' peak, what instructions of one warp reach: on devices that have instructions of warp groups the
// peak is theirs (Luo et al., arXiv 2402.13499: mma on Hopper reaches 62 % of it).
double warp_share(const kernels::DeviceLimits& limits) {
  constexpr double kWithGroups = 0.62;
  const bool has_groups = limits.architecture.starts_with("sm_90") || limits.architecture.starts_with("sm_10");
  return has_groups ? kWithGroups : 1;
}

double tensor_seconds(const LaunchWork& work, const kernels::DeviceLimits& limits) {
  const double of_warps =
      work.tf32_flops / limits.tf32_flops + (work.half_flops - work.group_flops) / limits.fp16_flops;
  return of_warps / warp_share(limits) + work.group_flops / limits.fp16_flops;
}

BlockCycles cycles_of_block(const LaunchWork& work, const kernels::DeviceLimits& limits) {
  const double clock = clock_of(limits);
  const double block = 1 / work.blocks;
  const double threads = work.threads * block;
  const double warps = std::ceil(threads / kWarpThreads);
  // A device's rate as the share of one multiprocessor, of those that have a block.
  const double used = std::min<double>(limits.multiprocessors, work.blocks);
  const auto shared_rate = [&](double seconds) { return seconds * block * used * clock; };
  const auto own_rate = [&](double seconds) { return seconds * block * limits.multiprocessors * clock; };
  const double l1 = std::max(work.requests, work.sectors * kSectorBytes / kWavefrontBytes) * block;
  const double port = work.missed * kSectorBytes / kL2BytesACycle * block;
  const double l2 = shared_rate(work.missed * kSectorBytes / limits.l2_bytes_per_second);
  const double memory = shared_rate(work.bytes / limits.bytes_per_second);
  const double accesses =
      (work.requests + work.shared_requests + work.shuffles + work.matrix_operations + work.barriers / kWarpThreads) *
      block;
  const double instructions = kWithEach * accesses + kOnce * warps + work.flops / kFusedFlops * block;
  const double on_the_way = std::max({l1, port, l2});  // the same bytes pass them one after another
  BlockCycles cycles;
  cycles.busy = {{{std::max(memory, on_the_way), memory >= on_the_way ? ExecutedBound::kMemory : ExecutedBound::kL2},
                  {work.wavefronts * block, ExecutedBound::kSharedMemory},
                  {own_rate(tensor_seconds(work, limits)), ExecutedBound::kArithmetic},
                  {own_rate(work.flops / limits.fp32_flops), ExecutedBound::kArithmetic},
                  {instructions / kIssued, ExecutedBound::kInstructions},
                  {kBlockStart, ExecutedBound::kInstructions}}};
  cycles.latency = kStartLatency + work.memory_waits * block * kMemoryLatency +
                   work.shared_waits * block * kSharedLatency + work.barriers * block / threads * kBarrierLatency +
                   work.shuffles * block / warps * kShuffleLatency;
  return cycles;
}

double blocks_at_once(const LaunchWork& work, const kernels::DeviceLimits& limits) {
  const double threads = std::max(1.0, work.threads / work.blocks);
  const double by_shared = limits.shared_bytes_per_multiprocessor / (work.shared_bytes + kOwnSharedBytes);
  return std::max(1.0, std::floor(std::min({kMaxBlocks, kThreads / threads, by_shared})));
}

// The first blocks of a multiprocessor start together and do the same at the same time, one after another where they
// need the same. Later ones take turns: they are as fast as the busiest part, or as the waiting of all that run at
// once.
LaunchTime time_of_blocks(const LaunchWork& work, const kernels::DeviceLimits& limits) {
  const BlockCycles block = cycles_of_block(work, limits);
  const auto [longest, bound] = block.longest();
  const double alone = longest + kNotHidden * (block.sum() - longest);
  const double blocks = std::max(1.0, work.blocks / limits.multiprocessors);
  const double at_once = std::min(blocks_at_once(work, limits), std::ceil(blocks));
  const double first = std::min(at_once, blocks);
  const double each = std::max(longest, (block.latency + alone) / at_once);
  const double cycles = block.latency + first * alone + (blocks - first) * each;
  const double waiting = block.latency * (1 + (blocks - first) / at_once);
  return {cycles / clock_of(limits) * kMicroseconds, waiting > blocks * longest ? ExecutedBound::kLatency : bound};
}

LaunchTime time_by_rates(const LaunchWork& work, const kernels::DeviceLimits& limits) {
  const std::pair<double, ExecutedBound> parts[] = {
      {work.bytes / limits.bytes_per_second, ExecutedBound::kMemory},
      {work.missed * kSectorBytes / limits.l2_bytes_per_second, ExecutedBound::kL2},
      {work.wavefronts * kWavefrontBytes / limits.shared_bytes_per_second, ExecutedBound::kSharedMemory},
      {tensor_seconds(work, limits) + work.flops / limits.fp32_flops, ExecutedBound::kArithmetic}};
  const auto longest = std::max_element(std::begin(parts), std::end(parts),
                                        [](const auto& left, const auto& right) { return left.first < right.first; });
  return {longest->first * kMicroseconds, longest->second};
}

}  // namespace

const char* to_string(ExecutedBound bound) {
  switch (bound) {
    case ExecutedBound::kLaunches:
      return "launches";
    case ExecutedBound::kMemory:
      return "memory";
    case ExecutedBound::kL2:
      return "L2";
    case ExecutedBound::kSharedMemory:
      return "shared memory";
    case ExecutedBound::kArithmetic:
      return "arithmetic";
    case ExecutedBound::kInstructions:
      return "instructions";
    case ExecutedBound::kLatency:
      return "latency";
  }
  return "launches";
}

LaunchTime time_of_launch(const LaunchWork& work, const kernels::DeviceLimits& limits) {
  const LaunchTime rates = time_by_rates(work, limits);
  const bool is_spread = work.blocks > 0 && work.threads > 0;
  const LaunchTime blocks = is_spread ? time_of_blocks(work, limits) : rates;
  LaunchTime time = blocks.us > rates.us ? blocks : rates;
  time.bound = time.us > limits.launch_us ? time.bound : ExecutedBound::kLaunches;
  time.us += limits.launch_us;
  return time;
}

}  // namespace stitch::plan
