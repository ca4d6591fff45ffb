// SPDX-License-Identifier: Apache-2.0
// The last act of tuning. Times of steps alone do not add up to the time of a program, and one that was taken while
// somebody else used the GPU is none: so the whole program as it was tuned takes turns with the whole program as it
// would have been without, and replaces it only where it was seen to be faster.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "evaluate/timing/abba.h"

namespace stitch::tuning {

// One that wants the place of the untuned program.
struct Challenger {
  std::string name;
  std::optional<evaluate::Speedup> over_untuned{};  // the untuned program's time over its own
  std::string why_not{};                            // a sentence, where nothing is known of that
  bool is_taken = false;
};

struct LastLook {
  std::function<bool()> has_room;
  // Of a challenger by its number: what an earlier run has found, and what is found now. A refusal in it is a reason,
  // as an Error is.
  using Turns = std::function<Result<std::optional<evaluate::Speedup>>(size_t)>;
  Turns known;
  Turns time;
};

// The number of the challenger that is taken, nothing for the untuned program. Challengers come in the order given; the
// first that is faster at the pessimistic end of the interval is taken, and no other is asked; the median is enough for
// `by_steps`, which is faster by the steps' measured times alone, and is the answer where no turns could be taken.
std::optional<size_t> last_look(std::vector<Challenger>& challengers, std::optional<size_t> by_steps,
                                const LastLook& look);

}  // namespace stitch::tuning
