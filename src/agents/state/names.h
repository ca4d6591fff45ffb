// SPDX-License-Identifier: Apache-2.0
// What a run of the agents calls by name: activities, events, conditions and what an attempt came to. Inside they are
// enumerators; the names are for files, prompts and people.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stitch::agents {

// What the run waits for. A passage is left at once, without an event.
enum class Activity : uint8_t {
#define STITCH_ACTIVITY(enumerator, name, is_passage) enumerator,
#include "agents/state/activities.def"
#undef STITCH_ACTIVITY
};

enum class EventKind : uint8_t {
#define STITCH_EVENT(enumerator, name) enumerator,
#include "agents/state/events.def"
#undef STITCH_EVENT
};

enum class Condition : uint8_t {
#define STITCH_CONDITION(enumerator, name) enumerator,
#include "agents/state/conditions.def"
#undef STITCH_CONDITION
};

enum class Role : uint8_t { kPlanner, kCoder, kVerifier, kJudge, kTools };
enum class Author : uint8_t { kExpert, kModel };
enum class SubTaskKind : uint8_t { kStep, kHost, kModule };  // kModule: a ModelNew in the program's place
enum class TimeKind : uint8_t { kExecuted, kMeasured };      // counted on the emulated device; taken on a GPU
enum class Limiter : uint8_t { kMemory, kCompute, kLatency, kHost };

// What became of one answer of the Coder.
enum class Outcome : uint8_t { kUnreadable, kNotCompiled, kWrong, kRight };

template <typename E>
struct Names;
#define STITCH_NAMES(E, ...)                                                     \
  template <>                                                                    \
  struct Names<E> {                                                              \
    static constexpr std::array kList = std::to_array<const char*>(__VA_ARGS__); \
  }
template <>
struct Names<Activity> {
  static constexpr std::array kList = std::to_array<const char*>({
#define STITCH_ACTIVITY(enumerator, name, is_passage) name,
#include "agents/state/activities.def"
#undef STITCH_ACTIVITY
  });
};
template <>
struct Names<EventKind> {
  static constexpr std::array kList = std::to_array<const char*>({
#define STITCH_EVENT(enumerator, name) name,
#include "agents/state/events.def"
#undef STITCH_EVENT
  });
};
template <>
struct Names<Condition> {
  static constexpr std::array kList = std::to_array<const char*>({
#define STITCH_CONDITION(enumerator, name) name,
#include "agents/state/conditions.def"
#undef STITCH_CONDITION
  });
};
STITCH_NAMES(Role, {"planner", "coder", "verifier", "judge", "tools"});
STITCH_NAMES(Author, {"expert", "model"});
STITCH_NAMES(SubTaskKind, {"step", "host", "module"});
STITCH_NAMES(TimeKind, {"executed", "measured"});
STITCH_NAMES(Limiter, {"memory", "compute", "latency", "host"});
STITCH_NAMES(Outcome, {"unreadable", "not_compiled", "wrong", "right"});
#undef STITCH_NAMES

template <typename E>
constexpr const char* to_string(E named) {
  return Names<E>::kList.at(static_cast<size_t>(named));
}

// Nothing when there is none of that name.
template <typename E>
constexpr std::optional<E> from_string(std::string_view name) {
  for (size_t i = 0; i < Names<E>::kList.size(); ++i) {
    if (name == Names<E>::kList[i]) {
      return static_cast<E>(i);
    }
  }
  return std::nullopt;
}

constexpr bool is_passage(Activity activity) {
  constexpr std::array kPassages = std::to_array<bool>({
#define STITCH_ACTIVITY(enumerator, name, is_passage) is_passage,
#include "agents/state/activities.def"
#undef STITCH_ACTIVITY
  });
  return kPassages.at(static_cast<size_t>(activity));
}

// The Coder is asked.
constexpr bool is_writing(Activity activity) { return activity >= Activity::kDraft && activity <= Activity::kOptimize; }

}  // namespace stitch::agents
