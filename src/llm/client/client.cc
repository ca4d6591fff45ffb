// SPDX-License-Identifier: Apache-2.0
#include "llm/client/client.h"

#include <algorithm>
#include <cmath>

#include "base/json/json.h"
#include "base/process/child.h"
#include "base/process/environment.h"
#include "llm/retry/fault.h"

namespace stitch::llm {
namespace {

constexpr int64_t kSpareMs = 60'000;
constexpr int64_t kProbeRequests = 8;  // at most: six forms, tools and schemas

constexpr int64_t kMaxTurnMs = 24 * 3'600'000;  // others may be long before a request's turn comes

// Longer than the process itself may take by its limits.
int64_t patience_ms(const Exchange& exchange, int64_t requests) {
  const int64_t turn = exchange.pool.limits.are_set() ? kMaxTurnMs : 0;
  const int64_t once = exchange.limits.connect_ms + exchange.limits.whole_ms + RetryPolicy{}.max_retry_after_ms + turn;
  return once * (exchange.retries + 1) * requests + kSpareMs;
}

}  // namespace

Result<ChatClient> ChatClient::start() {
  STITCH_ASSIGN(const std::filesystem::path program, find_helper_program("stitchcuda-chat"));
  STITCH_ASSIGN(JsonChannel channel,
                JsonChannel::start({.arguments = {program.string()}, .kept_environment = names_of_environment()}));
  return ChatClient(std::move(channel));
}

Result<Completion> ChatClient::complete(const Exchange& exchange, const JsonChannel::Progress& progress,
                                        std::optional<double> seconds) {
  int64_t timeout_ms = patience_ms(exchange, 1);
  if (seconds.has_value() && *seconds * 1000 < static_cast<double>(timeout_ms)) {
    timeout_ms = std::max<int64_t>(1, std::llround(*seconds * 1000));
  }
  STITCH_ASSIGN(const Json answer, channel_.request("complete", to_json(exchange), timeout_ms, progress));
  return completion_from_json(answer);
}

Result<Probed> ChatClient::probe(const Exchange& exchange, const JsonChannel::Progress& progress) {
  STITCH_ASSIGN(const Json answer,
                channel_.request("probe", to_json(exchange), patience_ms(exchange, kProbeRequests), progress));
  return probed_from_json(answer);
}

Result<int64_t> ChatClient::fetch(const Download& download) {
  STITCH_ASSIGN(const Json answer,
                channel_.request("fetch", to_json(download), download.connect_ms + download.whole_ms + kSpareMs));
  return json_int(answer, "bytes");
}

}  // namespace stitch::llm
