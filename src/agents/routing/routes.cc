// SPDX-License-Identifier: Apache-2.0
#include "agents/routing/routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace stitch::agents {
namespace {

constexpr std::array kRoutes = std::to_array<Route>({
#define STITCH_ROUTE(from, event, condition, also, to, why) \
  {Origin::from, EventKind::event, Condition::condition, Condition::also, Destination::to, why},
#include "agents/routing/routes.def"
#undef STITCH_ROUTE
});

const char* name_of(Destination to) {
  switch (to) {
    case Destination::kSame:
      return "the same";
    case Destination::kBefore:
      return "where it was";
    default:
      return to_string(static_cast<Activity>(to));
  }
}

std::string conditions_of(const Route& route) {
  std::string text;
  for (const Condition each : {route.condition, route.also}) {
    text += each == Condition::kAlways ? "" : fmt::format(", {}", to_string(each));
  }
  return text;
}

bool is_taken(const Decision& decision, const Route& route, Activity from) {
  return decision.from == from && decision.event == route.event && decision.condition == route.condition &&
         decision.also == route.also;
}

}  // namespace

std::span<const Route> all_routes() { return kRoutes; }

bool begins_at(const Route& route, Activity activity) {
  if (route.from == Origin::kWriting) {
    return is_writing(activity);
  }
  if (route.from == Origin::kWaiting) {
    return !is_passage(activity) && activity != Activity::kPaused && activity != Activity::kStopped;
  }
  return static_cast<Activity>(route.from) == activity;
}

std::string routes_as_text(const std::vector<Decision>* decisions) {
  std::string text;
  for (size_t i = 0; i < Names<Activity>::kList.size(); ++i) {
    const auto activity = static_cast<Activity>(i);
    text += fmt::format("{}\n", to_string(activity));
    for (const Route& route : all_routes()) {
      if (!begins_at(route, activity)) {
        continue;
      }
      std::string taken;
      if (decisions != nullptr) {
        const auto times = std::count_if(decisions->begin(), decisions->end(),
                                         [&](const Decision& each) { return is_taken(each, route, activity); });
        taken = times == 0 ? "     " : fmt::format("{:3}x ", times);
      }
      text += fmt::format("  {}{}{} -> {}: {}\n", taken, to_string(route.event), conditions_of(route),
                          name_of(route.to), route.why);
    }
  }
  return text;
}

}  // namespace stitch::agents
