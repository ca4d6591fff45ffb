// SPDX-License-Identifier: Apache-2.0
// Whether a request fits a run's budget in the worst case, asked before it is sent.
#pragma once

#include <string>

#include "agents/state/state.h"
#include "llm/price/price.h"

namespace stitch::agents {

// Of one request, at most. Without a price it costs nothing: a limit on money without prices is refused before the run.
Spending worst_spending(Role role, const llm::Usage& worst, const llm::Price* price);
// What it came to.
Spending spending_of(Role role, const llm::Usage& usage, const llm::Price* price, double seconds);

// Empty where what was spent, what is `open` (reserved by requests under way) and `wanted` stay within every limit;
// else the limit that could be passed, in a sentence.
std::string limit_in_the_way(const Limits& limits, const Spending& spent, const Spending& open, const Spending& wanted);

}  // namespace stitch::agents
