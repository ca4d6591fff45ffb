// SPDX-License-Identifier: Apache-2.0
// Replaces a state that nothing reads.
#include "replaced_state.h"

static int run_program(const Call& call) { return replaced_state::run(call, replaced_state::State::kMade); }
