// SPDX-License-Identifier: Apache-2.0
// What a run of the agents is told: the answer of a role, or what became of one.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agents/state/state.h"

namespace stitch::agents {

struct Planned {  // checked against the graph; its version is given when it is taken
  PlanVersion plan;
  std::vector<PlanVersion> others{};  // answered with it, and passed over
};
struct PlanKept {
  std::string why{};
};
struct Written {
  std::string digest{};
  std::vector<std::string> changed{};
  std::vector<std::string> replaced{};
};
struct Declined {
  std::string why{};
};
struct Unreadable {
  std::string why{};
};
// The step alone and then in its program: right where both are.
struct Tested {
  Outcome outcome = Outcome::kRight;
  std::string fingerprint{};      // of a failure
  bool incumbent_fails = false;   // the incumbent, tested beside it, fails in the same way
  std::optional<Time> step{};     // of a right one
  std::optional<Time> program{};  // likewise
  // Of the program with it; empty: the incumbent's, with the changed ones anew.
  std::vector<TriedStep> steps{};
};
struct Profiled {
  std::vector<StepTime> steps{};
};
struct Retrieved {
  std::string note{};  // why nothing could be looked up; else empty
};
struct Advised {
  Feedback feedback;
};
struct EnvironmentFailed {
  std::string why{};
};
struct Resumed {};
// The next answer of the Coder could pass a limit, or did not come before one: it is not waited for.
struct NoRoom {
  std::string why{};
};

// In the order of agents/state/events.def after kEntered.
using EventBody = std::variant<Planned, PlanKept, Written, Declined, Unreadable, Tested, Profiled, Retrieved, Advised,
                               EnvironmentFailed, Resumed, NoRoom>;

static_assert(std::variant_size_v<EventBody> + 1 == Names<EventKind>::kList.size());

struct Event {
  EventBody body;
  std::vector<Spending> spent{};  // by whatever led to it; their plan and sub-task are filled in
};

constexpr EventKind kind_of(const EventBody& body) { return static_cast<EventKind>(body.index() + 1); }

}  // namespace stitch::agents
