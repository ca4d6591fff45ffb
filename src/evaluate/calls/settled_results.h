// SPDX-License-Identifier: Apache-2.0
// Checks that the results of a call stay what they were when it ended: that no thread of the program goes on writing.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluate/processes/candidate_session.h"

namespace stitch::evaluate {

class SettledResults {
 public:
  // Takes digests of the results of the call that has just ended. Those of a session's first call are checked after a
  // short wait, later ones before the next call.
  Result<void> watch(CandidateSession& session, const std::vector<wire::Region>& results);
  // The candidate's fault where the last call's results have changed since; looks once.
  Result<void> check(CandidateSession& session);

 private:
  std::vector<wire::Region> regions_;
  std::vector<int64_t> digests_;
  bool was_awaited_ = false;
};

}  // namespace stitch::evaluate
