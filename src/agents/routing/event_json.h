// SPDX-License-Identifier: Apache-2.0
// An event as a journal keeps it: {"event": "tested", members of its body, "spent": [...]}.
#pragma once

#include "agents/routing/event.h"
#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::agents {

Json to_json(const Event& event);
// kFileInvalid, naming the member, where one is missing, unknown or of another kind.
Result<Event> event_from_json(const Json& json);

}  // namespace stitch::agents
