// SPDX-License-Identifier: Apache-2.0
// What all routes share: bodies read with suspicion, and evaluations as responses.
#pragma once

#include <chrono>

#include "base/json/json_forward.h"
#include "http/connection/message.h"
#include "service/run/evaluations.h"

namespace stitch::service {

// kUsage with a sentence for what is no JSON, or nested deeper than any request is.
Result<Json> read_body(const http::Request& request);
// ?wait=SECONDS, at most 25: proxies cut what is silent for longer. kUsage for what is no number of seconds.
Result<std::chrono::milliseconds> patience_in(const http::Request& request);

http::Response json_response(int status, const Json& json);
// {"error": SENTENCE}, with Retry-After where it may be tried again.
http::Response refusal_of(const Admission& admission);
// 200 once it has ended, 202 as it is after so long, 404 where there is none.
http::Response answer_by(Evaluations& evaluations, const std::string& id, std::chrono::milliseconds patience,
                         const Stop& stop);

}  // namespace stitch::service
