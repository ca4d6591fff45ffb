// SPDX-License-Identifier: Apache-2.0
// What a call may not do: wait, allocate, or miss the interface.
#include <fmt/format.h>

#include <algorithm>

#include "rubric/criteria/criterion.h"
#include "rubric/criteria/executed.h"

namespace stitch::rubric {

Mark score_contract(const Facts& facts) {
  if (!facts.verdict.has_value()) {
    return no_mark("there is no verdict");
  }
  const std::string cited = fmt::format("verdict: {}", to_string(facts.verdict->kind));
  if (!is_verified(facts)) {
    const bool came_to_an_answer = facts.verdict->kind == VerdictKind::kWrong;
    return mark(came_to_an_answer ? 2 : 1, facts.verdict->reason, {cited});
  }
  if (facts.launches.has_value()) {
    const Executed ran = executed(facts);
    const int broken = (ran.waits > 0 ? 1 : 0) + (ran.allocations > 0 ? 1 : 0);
    return mark(5 - 2.0 * broken / (broken > 1 ? 4.0 / 3 : 1),
                broken == 0
                    ? "a call neither waits nor allocates"
                    : fmt::format("a call waited {} times and allocated or freed {} times", ran.waits, ran.allocations),
                {"launches: runtime"});
  }
  const bool is_suspect = has_feature(facts, "waits") || has_feature(facts, "allocation");
  return mark(is_suspect ? 3 : 4, "verified; what the call asks of the runtime was not listed",
              is_suspect ? cite(facts, {"waits", "allocation"}) : std::vector<std::string>{cited});
}

}  // namespace stitch::rubric
