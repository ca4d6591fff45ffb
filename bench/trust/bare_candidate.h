// SPDX-License-Identifier: Apache-2.0
// A built program in a plain child process at the other end of two pipes: no cage, no keeper, no poison, nothing looked
// at afterwards. What a harness does that trusts its candidates.
#pragma once

#include "evaluate/runner/program_runner.h"

namespace stitch::bench {

// Checked draws, which find mistakes and not cheats, go to the product's own runner.
evaluate::StartCandidate bare_runner(evaluate::RunnerOptions options);

}  // namespace stitch::bench
