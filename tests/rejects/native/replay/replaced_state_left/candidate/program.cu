// SPDX-License-Identifier: Apache-2.0
// Writes no state: nothing reads it.
#include "replaced_state.h"

static int run_program(const Call& call) { return replaced_state::run(call, replaced_state::State::kUntouched); }
