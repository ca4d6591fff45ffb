// SPDX-License-Identifier: Apache-2.0
// The draws on which a program was verified, for timing it: timed calls are then judged as those were.
#pragma once

#include <optional>
#include <vector>

#include "artifact/task/math_mode.h"
#include "evaluate/timed_calls/timing.h"
#include "evaluate/verify/mixing.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

// Returns nothing without draws. The program is prepared with the first draw's parameters: the oracle judges calls on
// the first draw's inputs. On the others' inputs a timed call must give what an untimed one gives; the program cannot
// tell which is which. With `ask`, calls have contents of their own where the task allows it.
std::optional<TimedSubject> timed_subject(const std::vector<verify::OracleDraw>& draws, MathMode math,
                                          const AskReference& ask = {});

}  // namespace stitch::evaluate
