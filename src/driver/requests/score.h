// SPDX-License-Identifier: Apache-2.0
// Marks a program by the rubric: a program of ours, or a candidate from elsewhere.
#pragma once

#include "base/json/json_forward.h"
#include "driver/score/gather_facts.h"
#include "rubric/score/score.h"

namespace stitch::driver {

struct ScoreReport {
  rubric::Facts facts;
  rubric::Score score;
};

// A score has no total, and says why, where the judge was to mark alone and did not answer.
Result<ScoreReport> score(const ScoreRequest& request, const Services& services);
// Of a candidate that this job has judged, with what was listed meanwhile.
Result<ScoreReport> mark_judged(Job& job, const ScoreRequest& request, const CandidateVerdict& verdict,
                                const evaluate::LaunchLedger& launches);
// The reward of every profile.
Json rewards_of(const ScoreReport& report);

}  // namespace stitch::driver
