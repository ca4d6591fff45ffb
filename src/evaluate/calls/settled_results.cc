// SPDX-License-Identifier: Apache-2.0
#include "evaluate/calls/settled_results.h"

#include <chrono>
#include <thread>
#include <utility>

namespace stitch::evaluate {
namespace {

constexpr std::chrono::milliseconds kGrace{40};

}  // namespace

Result<void> SettledResults::watch(CandidateSession& session, const std::vector<wire::Region>& results) {
  STITCH_ASSIGN(digests_, session.keeper().digest(results));
  regions_ = results;
  if (!std::exchange(was_awaited_, true)) {
    std::this_thread::sleep_for(kGrace);
    return check(session);
  }
  return {};
}

Result<void> SettledResults::check(CandidateSession& session) {
  if (regions_.empty()) {
    return {};
  }
  const std::vector<wire::Region> regions = std::exchange(regions_, {});
  STITCH_ASSIGN(const std::vector<int64_t> now, session.keeper().digest(regions));
  if (now != digests_) {
    return session.fail(Ending::kTampered, "the program went on writing into its outputs after the call had ended");
  }
  return {};
}

}  // namespace stitch::evaluate
