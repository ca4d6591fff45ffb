// SPDX-License-Identifier: Apache-2.0
#include "farm/job/job_result.h"

#include <cmath>

#include "base/json/members.h"
#include "base/text/printable.h"

namespace stitch::farm {
namespace {

constexpr std::string_view kSchema = "stitchcuda.job_result/1";
constexpr size_t kMaxLastWords = 2000;

}  // namespace

std::string to_text(const JobResult& result) {
  const Json json = {{"schema", kSchema},
                     {"refusal", result.refusal},
                     {"exit_code", result.exit_code},
                     {"signal", result.signal},
                     {"timed_out", result.timed_out},
                     {"out_of_memory", result.is_out_of_memory},
                     {"seconds", result.seconds},
                     {"answer", result.answer},
                     {"last_words", printable_lines(result.last_words)},
                     {"files", to_json(result.files)},
                     {"worker", result.worker},
                     {"device", result.device},
                     {"delivery", result.delivery}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<JobResult> read_job_result(std::string_view text) {
  STITCH_ASSIGN(const Json json, parse_json(text, "a job's result"));
  STITCH_ASSIGN(const std::string schema, json_string(json, "schema"));
  JobResult result;
  STITCH_ASSIGN(result.refusal, json_string(json, "refusal"));
  STITCH_ASSIGN(result.exit_code, json_small_int(json, "exit_code"));
  STITCH_ASSIGN(result.signal, json_small_int(json, "signal"));
  STITCH_ASSIGN(result.delivery, json_small_int(json, "delivery"));
  STITCH_ASSIGN(result.timed_out, json_bool(json, "timed_out"));
  STITCH_ASSIGN(result.is_out_of_memory, json_bool(json, "out_of_memory"));
  STITCH_ASSIGN(result.seconds, json_double(json, "seconds"));
  STITCH_ASSIGN(result.answer, json_string(json, "answer"));
  STITCH_ASSIGN(result.last_words, json_string(json, "last_words"));
  STITCH_ASSIGN(const Json* files, json_array(json, "files"));
  STITCH_ASSIGN(result.files, read_files(*files));
  STITCH_ASSIGN(result.worker, json_string(json, "worker"));
  STITCH_ASSIGN(result.device, json_string(json, "device"));
  const bool is_whole = schema == kSchema && std::isfinite(result.seconds) && result.seconds >= 0 &&
                        result.last_words.size() <= 4 * kMaxLastWords &&
                        (result.answer.empty() ? !result.refusal.empty() : is_digest(result.answer));
  if (!is_whole) {
    return failure(ErrorCode::kFileInvalid, "what a worker answered is no result of a job", "",
                   "front end and worker need the same version of stitchcuda");
  }
  return result;
}

}  // namespace stitch::farm
