// SPDX-License-Identifier: Apache-2.0
#include "evaluate/calls/constant_memory.h"

#include <fmt/format.h>

#include <utility>

#include "base/error/check.h"

namespace stitch::evaluate {

void ConstantMemory::add(const wire::Region& region, std::string name) {
  regions_.push_back(region);
  names_.push_back(std::move(name));
}

void ConstantMemory::add_red_zones(const MemoryGroup& group, const char* of) {
  for (const wire::Region& zone : group.red_zones) {
    add(zone, fmt::format("outside of its {}", of));
  }
}

Result<void> ConstantMemory::remember(CandidateSession& session) {
  STITCH_ASSIGN(digests_, session.keeper().digest(regions_));
  return {};
}

Result<void> ConstantMemory::check(CandidateSession& session) const {
  STITCH_ASSIGN(const std::vector<int64_t> now, session.keeper().digest(regions_));
  return check_digests(session, now);
}

Result<void> ConstantMemory::check_digests(CandidateSession& session, std::span<const int64_t> now) const {
  STITCH_CHECK(now.size() == regions_.size()) << "the keeper gave another number of digests";
  for (size_t i = 0; i < regions_.size(); ++i) {
    if (now[i] != digests_.at(i)) {
      const bool is_red_zone = names_[i].starts_with("outside");
      return session.fail(Ending::kTampered,
                          fmt::format("the program {}{}", is_red_zone ? "wrote " : "changed its ", names_[i]));
    }
  }
  return {};
}

}  // namespace stitch::evaluate
