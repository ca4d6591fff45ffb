// SPDX-License-Identifier: Apache-2.0
// `bench ablate`: each arm with each seed is a run of its own; those that are there go on.
#pragma once

#include "cli/commands/invocation.h"

namespace stitch::cli {

Result<int> run_ablation(Invocation& invocation);

}  // namespace stitch::cli
