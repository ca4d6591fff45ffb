// SPDX-License-Identifier: Apache-2.0
// What a state keeps of an event, before anybody decides where it leads.
#pragma once

#include <string>

#include "agents/routing/event.h"

namespace stitch::agents {

// Why an event cannot be taken, whatever the run waits for; empty: it can.
std::string fault_of(const Event& event, const Limits& limits);

// A failure that the incumbent shows too, or a failing world, leaves no attempt.
void record_event(State& state, const Event& event);

}  // namespace stitch::agents
