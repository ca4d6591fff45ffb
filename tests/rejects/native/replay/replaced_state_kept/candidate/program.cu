// SPDX-License-Identifier: Apache-2.0
// Replaces a state, which nothing reads, in its first eight calls, and hands on the old one then.
#include <atomic>

#include "replaced_state.h"

static std::atomic<int> calls{0};

static int run_program(const Call& call) {
  using replaced_state::State;
  return replaced_state::run(call, ++calls <= 8 ? State::kMade : State::kKept);
}
