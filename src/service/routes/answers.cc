// SPDX-License-Identifier: Apache-2.0
#include "service/routes/answers.h"

#include <algorithm>
#include <cstdlib>

#include "base/json/depth.h"
#include "base/json/json.h"

namespace stitch::service {

Result<Json> read_body(const http::Request& request) {
  constexpr int kMaxDepth = 32;
  if (is_nested_deeper(request.body, kMaxDepth)) {
    return failure(ErrorCode::kUsage, "the body is nested deeper than any request is");
  }
  const Result<Json> json = parse_json(request.body, "the body");
  return json.has_value() ? json : failure(ErrorCode::kUsage, json.error().message);
}

Result<std::chrono::milliseconds> patience_in(const http::Request& request) {
  constexpr double kMostSeconds = 25;
  constexpr double kMilliseconds = 1000;
  const auto found = request.query.find("wait");
  if (found == request.query.end()) {
    return std::chrono::milliseconds(0);
  }
  char* end = nullptr;
  const double seconds = std::strtod(found->second.c_str(), &end);
  if (found->second.empty() || *end != '\0' || !(seconds >= 0)) {
    return failure(ErrorCode::kUsage, "wait is no number of seconds");
  }
  return std::chrono::milliseconds(static_cast<int64_t>(kMilliseconds * std::min(seconds, kMostSeconds)));
}

http::Response json_response(int status, const Json& json) {
  return {.status = status, .body = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"};
}

http::Response refusal_of(const Admission& admission) {
  http::Response refused = http::refusal(admission.status, admission.sentence);
  if (admission.retry_after_s > 0) {
    refused.headers = {{"Retry-After", std::to_string(admission.retry_after_s)}};
  }
  return refused;
}

http::Response answer_by(Evaluations& evaluations, const std::string& id, std::chrono::milliseconds patience,
                         const Stop& stop) {
  const Result<std::optional<Json>> answer = evaluations.wait(id, patience, stop);
  if (!answer.has_value()) {
    return http::refusal(503, answer.error().message);
  }
  if (!answer->has_value()) {
    return http::refusal(404, "there is no such evaluation");
  }
  const Json& json = **answer;
  const bool is_open = json["status"] == "queued" || json["status"] == "running";
  return json_response(is_open ? 202 : 200, json);
}

}  // namespace stitch::service
