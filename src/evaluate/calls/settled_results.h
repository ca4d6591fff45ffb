// SPDX-License-Identifier: Apache-2.0
// What a call gave is what it was when the call had ended: nobody went on writing.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluate/processes/candidate_session.h"

namespace stitch::evaluate {

class SettledResults {
 public:
  // Of the call that has just ended. The first of a session is looked at again after a while; later ones before the
  // next call.
  Result<void> watch(CandidateSession& session, const std::vector<wire::Region>& results);
  // The candidate's fault where the last call's results have changed since; looks once.
  Result<void> check(CandidateSession& session);

 private:
  std::vector<wire::Region> regions_;
  std::vector<int64_t> digests_;
  bool was_awaited_ = false;
};

}  // namespace stitch::evaluate
