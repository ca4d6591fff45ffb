// SPDX-License-Identifier: Apache-2.0
// When the rows of the table of routes hold.
#pragma once

#include <optional>
#include <string>

#include "agents/routing/event.h"

namespace stitch::agents {

inline constexpr double kFloorMargin = 0.10;      // as near to a floor is at it
inline constexpr double kAlikeMargin = 0.05;      // as near to each other are alike
inline constexpr double kDegenerateShare = 0.05;  // of the time: less is next to nothing
inline constexpr double kCountedGain = 0.10;      // that a counted time must show; a measured one has its interval

// The figures that it holds by, "attempts 3 and 4" (empty where there are none to tell); nothing where it does not
// hold. `state` has taken the event. Of a passage `event` is nullptr.
std::optional<std::string> holds(Condition condition, const State& state, const EventBody* event);

// Whether a program this fast takes the incumbent's place: faster beyond noise.
bool is_faster(const Time& candidate, const Time& incumbent);

}  // namespace stitch::agents
