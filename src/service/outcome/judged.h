// SPDX-License-Identifier: Apache-2.0
// What workers found out about a candidate so far, as one document: the same whoever asks for it, whatever the reward.
// {"outcome", "sentence", "stage", "facts" (of rewards), "metrics", "rubric", "feedback", "seconds", "worker",
// "artefacts"}
#pragma once

#include <string>

#include "base/json/json.h"
#include "farm/job/job_result.h"

namespace stitch::service {

// What a job of an evaluation is for.
enum class Phase {
  kVerify,    // `verify`, timed beside eager PyTorch on a GPU
  kBaseline,  // the same beside torch.compile, for its time alone
  kRubric,    // `score`
};
const char* to_string(Phase phase);  // "verify", "baseline", "rubric"

// Nothing: no verdict, every metric null.
Json nothing_judged(bool refines);
// No job was needed: the model's answer holds no candidate. It is judged as one that does not compile.
Json judged_without_candidate(bool refines, const std::string& why);
// The world failed, with a sentence: no verdict, whatever was known before.
Json judged_by_nobody(Json judged, const std::string& sentence);

// With a job's end. `answer` is what the verb printed; null where that could not be had.
Json with_job(Json judged, Phase phase, const farm::JobResult& result, const Json& answer);
// The rubric's marks failed: nobody marked it, and the multiplier of its reward is 1.
Json without_marks(Json judged, const std::string& why);
// A language model may lower marks after the evidence: of 4 to 20; flags make it a total hack.
Json with_judge(Json judged, const Json& score);

// Whether the next job is worth its time.
bool is_right_so_far(const Json& judged);
// A right candidate that was to be timed and was not: the world's failure.
Json with_times_or_nothing(Json judged);

}  // namespace stitch::service
