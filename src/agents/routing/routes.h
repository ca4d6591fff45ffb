// SPDX-License-Identifier: Apache-2.0
// The table that routes.def holds, as data, and as text for a person.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "agents/state/state.h"

namespace stitch::agents {

enum class Origin : uint8_t {
#define STITCH_ACTIVITY(enumerator, name, is_passage) enumerator,
#include "agents/state/activities.def"
#undef STITCH_ACTIVITY
  kWriting,
  kWaiting,
};

enum class Destination : uint8_t {
#define STITCH_ACTIVITY(enumerator, name, is_passage) enumerator,
#include "agents/state/activities.def"
#undef STITCH_ACTIVITY
  kSame,
  kBefore,
};

struct Route {
  Origin from;
  EventKind event;
  Condition condition;
  Condition also;
  Destination to;
  const char* why;
};

std::span<const Route> all_routes();

// Whether a run in `activity` may take it, its conditions aside.
bool begins_at(const Route& route, Activity activity);

// The rows by activity, one a line: "  tested, test failed -> retrieve: its log goes to retrieval". With the decisions
// of a run each line begins with how often it was taken.
std::string routes_as_text(const std::vector<Decision>* decisions = nullptr);

}  // namespace stitch::agents
