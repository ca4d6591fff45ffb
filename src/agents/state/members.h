// SPDX-License-Identifier: Apache-2.0
// The members of each part of a State by their names in JSON: one list for the writer and the reader.
#pragma once

#include <tuple>

#include "agents/state/state.h"

namespace stitch::agents {

template <typename Owner, typename T>
struct Member {
  const char* name;
  T Owner::*place;
};

template <typename Owner, typename T>
constexpr Member<Owner, T> member(const char* name, T Owner::*place) {
  return {name, place};
}

template <typename T>
struct Members;

#define STITCH_MEMBERS(Owner, ...)                              \
  template <>                                                   \
  struct Members<Owner> {                                       \
    using This = Owner;                                         \
    static constexpr auto kList = std::make_tuple(__VA_ARGS__); \
  }
#define STITCH_MEMBER(name) member(#name, &This::name)

STITCH_MEMBERS(Time, STITCH_MEMBER(kind), STITCH_MEMBER(us), STITCH_MEMBER(low_us), STITCH_MEMBER(high_us));
STITCH_MEMBERS(Task, STITCH_MEMBER(name), STITCH_MEMBER(digest), STITCH_MEMBER(device), STITCH_MEMBER(math),
               STITCH_MEMBER(target_us), STITCH_MEMBER(floor_us));
STITCH_MEMBERS(Limits, STITCH_MEMBER(rounds_per_sub_task), STITCH_MEMBER(rounds), STITCH_MEMBER(repairs),
               STITCH_MEMBER(replans), STITCH_MEMBER(sub_tasks), STITCH_MEMBER(tokens), STITCH_MEMBER(microdollars),
               STITCH_MEMBER(gpu_seconds), STITCH_MEMBER(seconds));
STITCH_MEMBERS(SubTask, STITCH_MEMBER(name), STITCH_MEMBER(kind), STITCH_MEMBER(nodes), STITCH_MEMBER(contract),
               STITCH_MEMBER(hint), STITCH_MEMBER(expected_gain), STITCH_MEMBER(risk), STITCH_MEMBER(floor_us));
STITCH_MEMBERS(PlanVersion, STITCH_MEMBER(version), STITCH_MEMBER(author), STITCH_MEMBER(summary),
               STITCH_MEMBER(trigger), STITCH_MEMBER(sub_tasks), STITCH_MEMBER(bottlenecks), STITCH_MEMBER(risks),
               STITCH_MEMBER(modelled_us));
STITCH_MEMBERS(Writing, STITCH_MEMBER(activity), STITCH_MEMBER(digest), STITCH_MEMBER(changed),
               STITCH_MEMBER(replaced));
STITCH_MEMBERS(Attempt, STITCH_MEMBER(number), STITCH_MEMBER(plan), STITCH_MEMBER(sub_task), STITCH_MEMBER(activity),
               STITCH_MEMBER(outcome), STITCH_MEMBER(digest), STITCH_MEMBER(fingerprint), STITCH_MEMBER(changed),
               STITCH_MEMBER(replaced), STITCH_MEMBER(changed_share), STITCH_MEMBER(changed_dominant),
               STITCH_MEMBER(step), STITCH_MEMBER(program), STITCH_MEMBER(replaced_incumbent),
               STITCH_MEMBER(gained_us));
STITCH_MEMBERS(StepOwner, STITCH_MEMBER(step), STITCH_MEMBER(author), STITCH_MEMBER(attempt));
STITCH_MEMBERS(Incumbent, STITCH_MEMBER(program), STITCH_MEMBER(steps));
STITCH_MEMBERS(TriedStep, STITCH_MEMBER(step), STITCH_MEMBER(before), STITCH_MEMBER(is_tried));
STITCH_MEMBERS(StepTime, STITCH_MEMBER(step), STITCH_MEMBER(us));
STITCH_MEMBERS(Profile, STITCH_MEMBER(attempt), STITCH_MEMBER(steps));
STITCH_MEMBERS(Issue, STITCH_MEMBER(what), STITCH_MEMBER(why), STITCH_MEMBER(fix));
STITCH_MEMBERS(Figure, STITCH_MEMBER(name), STITCH_MEMBER(value));
STITCH_MEMBERS(Bottleneck, STITCH_MEMBER(what), STITCH_MEMBER(limiter), STITCH_MEMBER(figures), STITCH_MEMBER(system),
               STITCH_MEMBER(kernel), STITCH_MEMBER(plan));
STITCH_MEMBERS(Feedback, STITCH_MEMBER(attempt), STITCH_MEMBER(issue), STITCH_MEMBER(bottleneck), STITCH_MEMBER(doubt));
STITCH_MEMBERS(Note, STITCH_MEMBER(attempt), STITCH_MEMBER(text));
STITCH_MEMBERS(Spending, STITCH_MEMBER(role), STITCH_MEMBER(plan), STITCH_MEMBER(sub_task), STITCH_MEMBER(requests),
               STITCH_MEMBER(prompt_tokens), STITCH_MEMBER(cached_tokens), STITCH_MEMBER(answer_tokens),
               STITCH_MEMBER(reasoning_tokens), STITCH_MEMBER(is_estimated), STITCH_MEMBER(microdollars),
               STITCH_MEMBER(gpu_seconds), STITCH_MEMBER(seconds));
STITCH_MEMBERS(Decision, STITCH_MEMBER(from), STITCH_MEMBER(event), STITCH_MEMBER(condition), STITCH_MEMBER(also),
               STITCH_MEMBER(to), STITCH_MEMBER(attempts), STITCH_MEMBER(reason));
STITCH_MEMBERS(State, STITCH_MEMBER(task), STITCH_MEMBER(limits), STITCH_MEMBER(plans), STITCH_MEMBER(passed_over),
               STITCH_MEMBER(begun_sub_tasks), STITCH_MEMBER(replans), STITCH_MEMBER(activity),
               STITCH_MEMBER(paused_at), STITCH_MEMBER(pause_reason), STITCH_MEMBER(writing), STITCH_MEMBER(attempts),
               STITCH_MEMBER(incumbent), STITCH_MEMBER(profiles), STITCH_MEMBER(feedback), STITCH_MEMBER(notes),
               STITCH_MEMBER(ledger), STITCH_MEMBER(decisions));
#undef STITCH_MEMBER
#undef STITCH_MEMBERS

}  // namespace stitch::agents
