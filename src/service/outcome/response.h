// SPDX-License-Identifier: Apache-2.0
// What a trainer is answered (`stitchcuda.eval/1`, docs/formats.md): every key, always.
#pragma once

#include <optional>
#include <string>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::service {

// What the answer says beside what was found out.
struct AnswerFrame {
  std::string request_id;
  std::string task;
  std::string profile;
  std::string task_version;
  std::string candidate_sha256;  // empty: none was found
  bool has_verdict = true;       // false: extraction alone was asked for
  int64_t output_kb = 16;
};
Json to_json(const AnswerFrame& frame);
Result<AnswerFrame> answer_frame_from_json(const Json& json);

struct AnswerState {
  std::string id;
  std::string status;  // "queued", "running", "done", "error", "cancelled"
  double total_s = 0;
  bool is_from_cache = false;
};

// `judged` is nothing_judged() while nothing is known. reward.value is null exactly with the outcome infra_error, and
// where no verdict was asked for or is there yet.
Json response_of(const AnswerState& state, const AnswerFrame& frame, const Json& judged);

// Whether a right candidate without times has no reward of this profile.
bool needs_times(const std::string& profile);

}  // namespace stitch::service
