// SPDX-License-Identifier: Apache-2.0
// Memory that a call may read, or may not even touch, and must not change; and what each part of it is called.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluate/processes/candidate_session.h"

namespace stitch::evaluate {

class ConstantMemory {
 public:
  void add(const wire::Region& region, std::string name);
  void add_red_zones(const MemoryGroup& group, const char* of);
  // Takes what is there now for what is to stay.
  Result<void> remember(CandidateSession& session);
  // The candidate's fault where something has changed since.
  Result<void> check(CandidateSession& session) const;

 private:
  std::vector<wire::Region> regions_;
  std::vector<std::string> names_;
  std::vector<int64_t> digests_;
};

}  // namespace stitch::evaluate
