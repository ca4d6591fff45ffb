// SPDX-License-Identifier: Apache-2.0
// One request to an endpoint as it travels to the process that speaks HTTP, and its answer on the way back. A key does
// not travel: where it lies does.
#pragma once

#include <string>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "llm/chat/chat.h"
#include "llm/pool/pool_use.h"

namespace stitch::llm {

struct KeySource {
  std::string environment{};  // the variable that holds it, or
  std::string file{};         // a file that its owner alone may read; neither: no key is sent
};

struct TransferLimits {
  int64_t connect_ms = 10'000;
  int64_t first_token_ms = 300'000;  // from the request to the first piece of an answer
  int64_t silence_ms = 120'000;      // between two pieces of it
  int64_t whole_ms = 1'800'000;
  int64_t max_bytes = 8 << 20;
};

struct Exchange {
  std::string url{};  // the base, as "http://localhost:8000/v1"
  KeySource key{};
  std::string body{};  // JSON
  TransferLimits limits{};
  int64_t retries = 5;
  PoolUse pool{};  // where it has limits, each request waits for its turn
};

struct Completion {
  ChatReply reply{};
  int64_t retries = 0;  // that it took
  double first_token_seconds = 0;
  double seconds = 0;         // of the request that was answered
  double waited_seconds = 0;  // before it: for turns, and between retries
};

// The tokens that the body allows for an answer; as many as for any where it does not say.
int64_t answer_limit(const Exchange& exchange);

// kUsage for an address that is no plain one of HTTP, or that holds a key.
Result<void> check_url(const std::string& url);

Json to_json(const Exchange& exchange);
// kUsage where a member is missing, of another kind or out of range, or the address is no HTTP one or holds a key.
Result<Exchange> exchange_from_json(const Json& json);

Json to_json(const Completion& completion);
Result<Completion> completion_from_json(const Json& json);

}  // namespace stitch::llm
