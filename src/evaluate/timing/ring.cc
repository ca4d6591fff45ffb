// SPDX-License-Identifier: Apache-2.0
#include "evaluate/timing/ring.h"

#include <algorithm>
#include <cmath>

namespace stitch::evaluate {
namespace {

constexpr uint64_t kMinSets = 2;
constexpr uint64_t kMaxSets = 128;
// Round trips to keeper and worker take some hundred microseconds a burst, give or take a hundred, which these share.
constexpr uint64_t kSharing = 8;
constexpr uint64_t kShareForSharing = 16;  // of the memory, at most
constexpr uint64_t kTimesL2 = 4;
constexpr uint64_t kEvictTimesL2 = 2;
constexpr uint64_t kShareOfMemory = 4;
constexpr double kMaxBursts = 4096;

}  // namespace

Ring plan_ring(const RingRequest& request) {
  const uint64_t set_bytes = std::max<uint64_t>(request.set_bytes, 1);
  const uint64_t sharing = std::min(kSharing, request.memory_bytes / kShareForSharing / set_bytes);
  const uint64_t outgrowing = kTimesL2 * request.l2_bytes / set_bytes + 1;
  const uint64_t wanted = request.l2_bytes > 0 ? std::max(sharing, outgrowing) : outgrowing;
  const uint64_t room = request.memory_bytes / kShareOfMemory / set_bytes;
  const uint64_t sets = std::max(kMinSets, std::min({wanted, room, kMaxSets}));
  Ring ring;
  ring.sets = static_cast<int>(sets);
  ring.outgrows_l2 = request.l2_bytes > 0 && sets * set_bytes > kTimesL2 * request.l2_bytes;
  // More than twice the cache: what the last call left in it is gone for certain.
  ring.evict_bytes = request.l2_bytes > 0 ? kEvictTimesL2 * request.l2_bytes + request.l2_bytes / 8 : 0;
  return ring;
}

BurstPlan plan_bursts(double call_us, double block_us, int sets) {
  const double call = std::max(call_us, 1e-3);
  BurstPlan plan;
  plan.calls = static_cast<int>(std::clamp(std::ceil(block_us / call), 1.0, static_cast<double>(sets)));
  plan.bursts = static_cast<int>(std::clamp(std::ceil(block_us / (call * plan.calls)), 1.0, kMaxBursts));
  return plan;
}

}  // namespace stitch::evaluate
