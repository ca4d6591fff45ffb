// SPDX-License-Identifier: Apache-2.0
// Judges what is in a folder now: a program of ours (perhaps with a step edited by hand), or a candidate from
// elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/outside/judge_candidate.h"
#include "driver/requests/score.h"

namespace stitch::driver {

// Either what optimize left in a folder, or a candidate.
struct VerifyRequest {
  std::string folder;
  std::optional<int> step;     // of the folder's program: that one alone
  CandidateRequest candidate;  // `candidate.candidate` empty: the folder
  Options options;
  std::optional<ScoreRequest> score{};  // a right candidate is marked, too; its `candidate` is that of above
};

struct VerifyReport {
  DeviceKind device = DeviceKind::kEmulated;
  CandidateVerdict candidate;      // of a folder: its `report` alone
  std::optional<ScoreReport> score{};
  std::vector<std::string> hints;  // what its author may have overlooked in the program, where the answer is wrong
};

Result<VerifyReport> verify(const VerifyRequest& request, const Services& services);

}  // namespace stitch::driver
