// SPDX-License-Identifier: Apache-2.0
// Whether timed calls on a task may have contents mixed of two draws, and who judges them.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "artifact/task/math_mode.h"
#include "evaluate/timed_calls/timing.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

// The reference's answer to these inputs and states, with the first kept draw's parameters.
using AskReference = std::function<Result<verify::OracleDraw>(const std::vector<HostTensor>& inputs,
                                                              const std::vector<HostTensor>& states)>;

// Returns nothing where two draws differ in too few elements that may be mixed (floating point, finite in all draws,
// and of a tensor of its own), or where the reference has no good answer to a mix: then no mix is fair for this task.
std::optional<Mixing> find_mixing(const std::vector<verify::OracleDraw>& draws, MathMode math, const AskReference& ask);

}  // namespace stitch::evaluate
