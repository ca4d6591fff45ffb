// SPDX-License-Identifier: Apache-2.0
// What an endpoint failed at, and whether asking again may help. A clock's reading and chance are arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error/error.h"

namespace stitch::llm {

enum class FaultKind {
  kBroken,    // no connection, one that ended early, or bytes that are no answer
  kStatus,    // an answer with a status that is no success
  kTooSlow,   // no first byte in time, or the whole took too long
  kTooLong,   // more bytes than we take
  kUnusable,  // the key, the address or the request cannot be used
};

struct Fault {
  FaultKind kind = FaultKind::kBroken;
  int status = 0;                           // of kStatus
  std::string message{};                    // a sentence
  std::optional<int64_t> retry_after_ms{};  // what the server asks for
  bool is_too_long = false;                 // of kStatus: question and answer are more than the model takes
};

struct RetryPolicy {
  int64_t retries = 5;
  int64_t first_wait_ms = 500;
  int64_t max_wait_ms = 30'000;
  int64_t max_retry_after_ms = 600'000;  // a server that asks for more is given up
};

// How long to wait before asking again after `retries` that failed as well; nothing: give up. Doubles each time, and
// `chance`, in [0, 1), takes away up to half of it, so that many clients do not come back at once.
std::optional<int64_t> wait_before_retry(const RetryPolicy& policy, const Fault& fault, int64_t retries, double chance);

// Of a Retry-After header: seconds, or a date of HTTP against `now_seconds` since 1970. Nothing where it is neither.
std::optional<int64_t> retry_after_ms(std::string_view header, int64_t now_seconds);

// The fault that a response with this status and body is, with what the server says about it on one line. `leads_to`:
// its header Location.
Fault fault_of_response(int status, std::string_view body, std::string_view leads_to = "");

// As an Error: kEnvironment, or kTimeout where it was slow. `place` is the endpoint's address.
Error error_of(const Fault& fault, const std::string& place);

// Whether that Error is of a fault that `is_too_long`: a shorter question may be answered. An Error says so by its
// remedy alone.
bool is_too_long(const Error& error);

}  // namespace stitch::llm
