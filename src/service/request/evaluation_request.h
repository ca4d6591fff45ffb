// SPDX-License-Identifier: Apache-2.0
// What a trainer asks (`stitchcuda.eval/1`, docs/formats.md), checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::service {

inline constexpr const char* kEvaluationSchema = "stitchcuda.eval/1";

struct CandidateFile {
  std::string path;
  std::string content;
};

// The most that may be asked for, and what holds where nothing is said.
struct EvaluationLimits {
  double queue_s = 3600;   // until a worker takes it
  double compile_s = 300;  // all that is neither a call of the candidate nor timing
  double verify_s = 120;   // one call of the candidate
  double profile_s = 300;
  int64_t mem_mb = 8192;
  int64_t output_kb = 16;  // of what its author is told

  // Of a whole job: ten calls' time for all calls together, as the verdict has it.
  double job_seconds(bool is_timed) const { return compile_s + 10 * verify_s + (is_timed ? profile_s : 0); }
};

struct EvaluationRequest {
  std::string request_id;
  std::string task_id;
  std::string task_version;  // empty: whatever the service has
  std::string split;         // likewise
  bool refines = false;

  bool is_completion = true;
  std::string completion;
  std::string language;  // of a completion: "python", "cuda"; empty: whichever comes last
  std::vector<CandidateFile> files;

  std::string previous_sha256;  // the candidate that was refined, by the evidence of its own evaluation
  std::string feedback_sha256;  // the text that it was told

  std::string run_id = "default";
  bool has_verdict = true;  // false: the candidate is extracted, and that is all
  bool is_timed = true;
  bool is_marked = true;
  EvaluationLimits limits;
  std::string profile;  // of the reward
  std::string gpu;      // the kind that it has to be judged on; empty: any
  std::string cache = "all";
};

// kUsage with a sentence for whatever is not wholly a request; `most` caps its limits, `profile` is that of who names
// none.
Result<EvaluationRequest> read_evaluation_request(const Json& json, const EvaluationLimits& most,
                                                  const std::string& profile);

// The same text for the same request, in whatever order its members came.
std::string canonical_text(const Json& json);

}  // namespace stitch::service
