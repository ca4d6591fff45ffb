// SPDX-License-Identifier: Apache-2.0
// One request to an HTTP server and its whole answer. Without TLS, which is a proxy's work here as it is the server's.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error/result.h"
#include "http/connection/message.h"

namespace stitch::http {

struct Destination {
  std::string host;
  std::string port = "80";
  std::string prefix{};  // "/stitch" of "http://host/stitch": what comes before every route; empty as a rule
};

// "http://HOST[:PORT][/PREFIX]", HOST in brackets where it is of IPv6. kUsage for another text.
Result<Destination> read_url(const std::string& url);

struct Call {
  std::string method = "GET";
  std::string target = "/";  // with its query
  std::string body{};        // JSON, where it is not empty
  std::vector<std::pair<std::string, std::string>> headers{};
  std::chrono::milliseconds patience{30'000};  // for all of it, the name's look-up left out
  uint64_t max_body_bytes = uint64_t{64} << 20U;
};

// On a connection of its own; the names of the answer's headers are in lower case. kEnvironment, with what went wrong
// as its sentence, when no whole answer came: that may be tried again. Any status is an answer.
Result<Response> call(const Destination& destination, const Call& call);

}  // namespace stitch::http
