// SPDX-License-Identifier: Apache-2.0
// Returns at once; a thread of the host fills the output half a second later.
#include "late_thread.h"

static int run_program(const Call& call) { return answer_late(call, 500000); }
