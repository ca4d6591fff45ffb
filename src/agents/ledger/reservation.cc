// SPDX-License-Identifier: Apache-2.0
#include "agents/ledger/reservation.h"

#include <fmt/format.h>

namespace stitch::agents {
namespace {

int64_t tokens_of(const Spending& spending) { return spending.prompt_tokens + spending.answer_tokens; }

double dollars(int64_t microdollars) { return static_cast<double>(microdollars) * 1e-6; }

}  // namespace

Spending spending_of(Role role, const llm::Usage& usage, const llm::Price* price, double seconds) {
  return {.role = role,
          .requests = 1,
          .prompt_tokens = usage.prompt_tokens,
          .cached_tokens = usage.cached_tokens,
          .answer_tokens = usage.answer_tokens,
          .reasoning_tokens = usage.reasoning_tokens,
          .is_estimated = usage.is_estimated,
          .microdollars = price == nullptr ? 0 : llm::cost_microdollars(*price, usage),
          .seconds = seconds};
}

Spending worst_spending(Role role, const llm::Usage& worst, const llm::Price* price) {
  return spending_of(role, worst, price, 0);
}

std::string limit_in_the_way(const Limits& limits, const Spending& spent, const Spending& open,
                             const Spending& wanted) {
  const int64_t tokens = tokens_of(spent) + tokens_of(open) + tokens_of(wanted);
  if (limits.tokens.has_value() && tokens > *limits.tokens) {
    return fmt::format("the request may bring the run to {} tokens, over {}", tokens, *limits.tokens);
  }
  const int64_t microdollars = spent.microdollars + open.microdollars + wanted.microdollars;
  if (limits.microdollars.has_value() && microdollars > *limits.microdollars) {
    return fmt::format("the request may bring the run to {:.4f} $, over {:.4f} $", dollars(microdollars),
                       dollars(*limits.microdollars));
  }
  const double seconds = spent.seconds + open.seconds;
  if (limits.seconds.has_value() && seconds >= *limits.seconds) {
    return fmt::format("the run has taken {:.0f} s, of {:.0f} s", seconds, *limits.seconds);
  }
  return "";
}

}  // namespace stitch::agents
