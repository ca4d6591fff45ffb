// SPDX-License-Identifier: Apache-2.0
// Memory that a call must not change (some it may read, some not even touch), with a name for each part.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "evaluate/processes/candidate_session.h"

namespace stitch::evaluate {

class ConstantMemory {
 public:
  void add(const wire::Region& region, std::string name);
  void add_red_zones(const MemoryGroup& group, const char* of);
  // Records the present contents as those that must stay.
  Result<void> remember(CandidateSession& session);
  // Fails by the candidate's fault where something has changed since remember().
  Result<void> check(CandidateSession& session) const;
  // Both by digests that were taken of regions(), in their order.
  void remember_digests(std::vector<int64_t> digests) { digests_ = std::move(digests); }
  Result<void> check_digests(CandidateSession& session, std::span<const int64_t> now) const;
  const std::vector<wire::Region>& regions() const { return regions_; }

 private:
  std::vector<wire::Region> regions_;
  std::vector<std::string> names_;
  std::vector<int64_t> digests_;
};

}  // namespace stitch::evaluate
