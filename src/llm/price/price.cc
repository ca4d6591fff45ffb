// SPDX-License-Identifier: Apache-2.0
#include "llm/price/price.h"

#include <algorithm>
#include <cmath>

namespace stitch::llm {
namespace {

constexpr int64_t kAddedTokens = 32;         // a message, by the templates of the models that we know
constexpr int64_t kAddedByServer = 1 << 16;  // words of its own, at most
constexpr int64_t kMostThoughts = 1 << 20;

}  // namespace

int64_t cost_microdollars(const Price& price, const Usage& usage) {
  const auto cached = static_cast<double>(std::min(usage.cached_tokens, usage.prompt_tokens));
  const double fresh = static_cast<double>(usage.prompt_tokens) - cached;
  const double cost =
      fresh * price.prompt + cached * price.cached + static_cast<double>(usage.answer_tokens) * price.answer;
  return static_cast<int64_t>(std::ceil(cost - 1e-9));
}

Usage worst_case(size_t body_bytes, size_t messages, int64_t max_tokens) {
  return {.prompt_tokens = static_cast<int64_t>(body_bytes) + kAddedTokens * static_cast<int64_t>(messages + 1),
          .answer_tokens = max_tokens,
          .is_estimated = true};
}

bool is_possible(const Usage& usage, size_t body_bytes, int64_t max_tokens) {
  return usage.prompt_tokens <= static_cast<int64_t>(body_bytes) + kAddedByServer &&
         usage.answer_tokens <= max_tokens + kMostThoughts;
}

}  // namespace stitch::llm
