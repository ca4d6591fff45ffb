// SPDX-License-Identifier: Apache-2.0
// Updates the running variance with the biased one.
#include "batch_norm.h"

static int run_program(const Call& call) { return batch_norm::run(call, batch_norm::Statistics::kBiased); }
