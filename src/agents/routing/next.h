// SPDX-License-Identifier: Apache-2.0
// One step of the state machine. Pure: no clock, no file, no chance, so that a run replayed decides the same.
#pragma once

#include "agents/routing/event.h"
#include "base/error/result.h"

namespace stitch::agents {

// The state after `event` in `before`, with each decision and its reason. kInternal where the run waits for something
// else, or the event cannot be: then nothing is kept of it.
Result<State> next(const State& before, const Event& event);

// No run takes more events, those of pauses aside.
int64_t max_events(const Limits& limits);

}  // namespace stitch::agents
