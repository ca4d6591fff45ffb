// SPDX-License-Identifier: Apache-2.0
// Checks that the results of a call stay what they were when it ended: that no thread of the program goes on writing,
// and no later call writes where an earlier one did.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluate/processes/candidate_session.h"

namespace stitch::evaluate {

class SettledResults {
 public:
  // Remembers the digests of the results of the call that has just ended, taken when it ended. Those of a session's
  // first call are checked after a short wait, later ones before the next call.
  Result<void> watch(CandidateSession& session, const std::vector<wire::Region>& results, std::vector<int64_t> digests);
  // The candidate's fault where the last call's results have changed since; looks once.
  Result<void> check(CandidateSession& session);
  // Keeps the memory of the call that was watched last where there is room, and `results` without; the next call has
  // other memory. It is looked at again, and given back, some calls later, which nobody can foretell.
  void keep_by_chance(CandidateSession& session, MemoryGroup& results);
  // Looks at all that was kept, and gives it back.
  Result<void> end_keeping(CandidateSession& session);

 private:
  struct Kept {
    MemoryGroup memory;
    std::vector<int64_t> digests;
  };
  Result<void> look_again(CandidateSession& session, Kept& kept);

  std::vector<wire::Region> regions_;
  std::vector<int64_t> digests_;
  bool was_awaited_ = false;
  std::vector<Kept> kept_;
};

}  // namespace stitch::evaluate
