// SPDX-License-Identifier: Apache-2.0
#include "evaluate/calls/settled_results.h"

#include <chrono>
#include <numeric>
#include <thread>
#include <utility>

namespace stitch::evaluate {
namespace {

constexpr std::chrono::milliseconds kGrace{40};
constexpr size_t kMaxKept = 3;                            // calls
constexpr uint64_t kMaxKeptResults = uint64_t{16} << 20;  // bytes of one of them
constexpr unsigned kKeptOneIn = 6;                        // calls
constexpr unsigned kCallsUntilSeen = 6;                   // on average

}  // namespace

Result<void> SettledResults::watch(CandidateSession& session, const std::vector<wire::Region>& results,
                                   std::vector<int64_t> digests) {
  digests_ = std::move(digests);
  regions_ = results;
  if (!std::exchange(was_awaited_, true)) {
    std::this_thread::sleep_for(kGrace);
    return check(session);
  }
  return {};
}

Result<void> SettledResults::check(CandidateSession& session) {
  const std::vector<wire::Region> regions = std::exchange(regions_, {});
  if (!regions.empty()) {
    STITCH_ASSIGN(const std::vector<int64_t> now, session.keeper().digest(regions));
    if (now != digests_) {
      return session.fail(Ending::kTampered, "the program went on writing into its outputs after the call had ended");
    }
  }
  for (size_t i = kept_.size(); i > 0; --i) {
    if (session.by_chance(kCallsUntilSeen)) {
      Kept kept = std::move(kept_[i - 1]);
      kept_.erase(kept_.begin() + static_cast<int64_t>(i) - 1);
      STITCH_TRY(look_again(session, kept));
    }
  }
  return {};
}

void SettledResults::keep_by_chance(CandidateSession& session, MemoryGroup& results) {
  const uint64_t bytes = std::accumulate(results.sizes.begin(), results.sizes.end(), uint64_t{0});
  if (bytes > 0 && bytes <= kMaxKeptResults && kept_.size() < kMaxKept && session.by_chance(kKeptOneIn)) {
    kept_.push_back({std::exchange(results, {}), digests_});
  }
}

Result<void> SettledResults::look_again(CandidateSession& session, Kept& kept) {
  STITCH_ASSIGN(const std::vector<int64_t> now, session.keeper().digest(kept.memory.regions));
  if (now != kept.digests) {
    return session.fail(Ending::kTampered,
                        "the program wrote into the outputs of an earlier call, long after it had ended");
  }
  return session.release(kept.memory);
}

Result<void> SettledResults::end_keeping(CandidateSession& session) {
  while (!kept_.empty()) {
    Kept kept = std::move(kept_.back());
    kept_.pop_back();
    STITCH_TRY(look_again(session, kept));
  }
  return {};
}

}  // namespace stitch::evaluate
