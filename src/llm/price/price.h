// SPDX-License-Identifier: Apache-2.0
// What a model's tokens cost, as the user's file says with its date: prices change, so none is built in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "llm/chat/chat.h"

namespace stitch::llm {

// Dollars a million tokens, which are microdollars a token.
struct Price {
  std::string model{};
  double prompt = 0;
  double cached = 0;   // of prompt tokens that the server had kept
  double answer = 0;   // reasoning included
  std::string date{};  // "2026-11-24"
};

// Rounded up. `usage` may count more cached tokens than there are; then all are.
int64_t cost_microdollars(const Price& price, const Usage& usage);

// The most that one request can use: no token is shorter than a byte, and the server adds words of its own around each
// message.
Usage worst_case(size_t body_bytes, size_t messages, int64_t max_tokens);

// Whether a request can have used that much: some servers say numbers that no request has. More than `max_tokens` may
// have been thought, so that an answer is only too long beyond any measure.
bool is_possible(const Usage& usage, size_t body_bytes, int64_t max_tokens);

}  // namespace stitch::llm
