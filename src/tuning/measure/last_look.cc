// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/last_look.h"

#include <fmt/format.h>

namespace stitch::tuning {
namespace {

// Whether turns were taken.
bool ask(const LastLook::Turns& turns, size_t number, Challenger& challenger) {
  Result<std::optional<evaluate::Speedup>> found = turns(number);
  if (!found.has_value()) {
    challenger.why_not = found.error().message;
  } else if (found->has_value() && !(*found)->refusal.empty()) {
    challenger.why_not = (*found)->refusal;
  } else if (found->has_value()) {
    challenger.over_untuned = **found;
    challenger.why_not.clear();
  }
  return challenger.over_untuned.has_value();
}

void look_at(size_t number, Challenger& challenger, const LastLook& look) {
  if (ask(look.known, number, challenger)) {
    return;
  }
  if (!look.has_room()) {
    challenger.why_not = "the budget had ended";
    return;
  }
  if (!ask(look.time, number, challenger) && challenger.why_not.empty()) {
    challenger.why_not = "its times were unsteady";
  }
}

// At the pessimistic end; or at the median, where the steps' own times say so too: one disturbed turn of a few widens
// the interval over any gain.
bool is_faster(const Challenger& challenger, bool is_proven_by_steps) {
  const std::optional<evaluate::Speedup>& speedup = challenger.over_untuned;
  return speedup.has_value() && (speedup->low > 1 || (is_proven_by_steps && speedup->median > 1));
}

}  // namespace

std::optional<size_t> last_look(std::vector<Challenger>& challengers, std::optional<size_t> by_steps,
                                const LastLook& look) {
  bool has_turns = false;
  std::optional<size_t> taken;
  for (size_t number = 0; number < challengers.size() && !taken.has_value(); ++number) {
    Challenger& challenger = challengers[number];
    look_at(number, challenger, look);
    has_turns = has_turns || challenger.over_untuned.has_value();
    if (is_faster(challenger, by_steps == number)) {
      taken = number;
    }
  }
  taken = has_turns ? taken : by_steps;
  if (taken.has_value()) {
    challengers[*taken].is_taken = true;
  }
  return taken;
}

}  // namespace stitch::tuning
