// SPDX-License-Identifier: Apache-2.0
// Updates running statistics, where they lie or elsewhere.
#include "batch_norm.h"

static int run_program(const Call& call) { return batch_norm::run(call, batch_norm::Statistics::kRunning); }
