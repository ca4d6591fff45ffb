// SPDX-License-Identifier: Apache-2.0
// Shortens what a page tells of agents: of hundreds of messages it is most of the page.
#pragma once

#include "base/json/json_forward.h"

namespace stitch::report {

// Cuts messages to what is read at a glance; false when none is longer.
bool leave_out_long_messages(Json& data);
// Takes the next thing, at last all of it, and adds a note on it; false when nothing is left to take.
bool leave_out_of_agents(Json& data);

}  // namespace stitch::report
