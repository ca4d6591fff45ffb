// SPDX-License-Identifier: Apache-2.0
// A run of the agents as one value: what was asked, planned, tried, measured, advised, decided and spent. Everything
// that routing looks at is here, so that a run goes on from its file. `stitchcuda.state/1` in docs/formats.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/state/names.h"

namespace stitch::agents {

// One time of a program or of a step, with the interval it lies in; of counted ones both ends are the time itself.
struct Time {
  TimeKind kind = TimeKind::kExecuted;
  double us = 0;
  double low_us = 0;
  double high_us = 0;
};

struct Task {
  std::string name{};
  std::string digest{};  // of the program with its sizes, mode and math policy
  std::string device{};
  std::string math{};
  std::optional<double> target_us{};  // the run is done when the program is this fast
  double floor_us = 0;                // what no program of this graph can be faster than; 0: not known
};

struct Limits {
  int64_t rounds_per_sub_task = 10;
  int64_t rounds = 200;  // of the run
  int64_t repairs = 3;   // in a row, before the incumbent's code stays
  int64_t replans = 2;
  int64_t sub_tasks = 64;  // of one plan
  std::optional<int64_t> tokens{};
  std::optional<int64_t> microdollars{};
  std::optional<double> gpu_seconds{};
  std::optional<double> seconds{};
};

struct SubTask {
  std::string name{};
  SubTaskKind kind = SubTaskKind::kStep;
  std::vector<std::string> nodes{};     // of a step: its fusion boundary
  std::vector<std::string> contract{};  // dtypes, shapes and layouts of operands and results, a line each
  std::string hint{};
  std::string expected_gain{};
  std::string risk{};
  double floor_us = 0;  // of the step; 0: not known
};

struct PlanVersion {
  int64_t version = 1;
  Author author = Author::kExpert;
  std::string summary{};
  std::string trigger{};  // of a replan; else empty
  std::vector<SubTask> sub_tasks{};
  std::vector<std::string> bottlenecks{};
  std::vector<std::string> risks{};
  double modelled_us = 0;  // a call, if each group is written in one piece; 0: not known
};

// Code that was written and is not judged yet.
struct Writing {
  Activity activity = Activity::kDraft;
  std::string digest{};                 // of the code
  std::vector<std::string> changed{};   // steps that differ from the incumbent's, as the program with it calls them
  std::vector<std::string> replaced{};  // steps of the incumbent that it takes nodes from
};

struct Attempt {
  int64_t number = 1;
  int64_t plan = 1;
  int64_t sub_task = 0;  // its place in the plan
  Activity activity = Activity::kDraft;
  Outcome outcome = Outcome::kUnreadable;
  std::string digest{};
  std::string fingerprint{};           // of a failure: its message without paths, hashes and addresses
  std::vector<std::string> changed{};  // steps
  std::vector<std::string> replaced{};
  double changed_share = 1;      // of the incumbent's time, when the attempt was made
  bool changed_dominant = true;  // the step that most of that time went to is among them
  std::optional<Time> step{};
  std::optional<Time> program{};
  bool replaced_incumbent = false;
  double gained_us = 0;  // what the program became faster by
};

struct StepOwner {
  std::string step{};
  Author author = Author::kExpert;
  int64_t attempt = 0;  // 0: the expert's
};

// The best program so far. It begins as the expert's, so that no run ends with a slower one.
struct Incumbent {
  std::optional<Time> program{};
  std::vector<StepOwner> steps{};
};

// A step of a program with an attempt in it.
struct TriedStep {
  std::string step{};
  std::string before{};   // the incumbent's step whose text it keeps; empty: the expert cut it anew
  bool is_tried = false;  // it has the attempt's text
};

struct StepTime {
  std::string step{};
  double us = 0;
};

struct Profile {
  int64_t attempt = 0;  // 0: the expert's program
  std::vector<StepTime> steps{};
};

struct Issue {  // of a failure
  std::string what{};
  std::string why{};
  std::string fix{};
};

struct Figure {
  std::string name{};
  double value = 0;
};

struct Bottleneck {  // of a right answer
  std::string what{};
  Limiter limiter = Limiter::kMemory;
  std::vector<Figure> figures{};
  std::string system{};  // one suggestion on the level of the system, one on that of the kernel
  std::string kernel{};
  std::string plan{};
};

struct Feedback {
  int64_t attempt = 0;
  std::optional<Issue> issue{};
  std::optional<Bottleneck> bottleneck{};
  std::string doubt{};  // the Planner's, of its own plan; else empty
};

// What a later request is told of one that is no longer in its context.
struct Note {
  int64_t attempt = 0;
  std::string text{};
};

// What one role spent on one sub-task.
struct Spending {
  Role role = Role::kTools;
  int64_t plan = 0;  // 0: before the first plan
  int64_t sub_task = 0;
  int64_t requests = 0;
  int64_t prompt_tokens = 0;
  int64_t cached_tokens = 0;  // among them
  int64_t answer_tokens = 0;
  int64_t reasoning_tokens = 0;  // among them
  bool is_estimated = false;     // some server did not say how many
  int64_t microdollars = 0;
  double gpu_seconds = 0;
  double seconds = 0;
};

struct Decision {
  Activity from = Activity::kPlan;
  EventKind event = EventKind::kPlanned;
  Condition condition = Condition::kAlways;  // of the row that held
  Condition also = Condition::kAlways;
  Activity to = Activity::kPlan;
  int64_t attempts = 0;  // that had been made
  std::string reason{};
};

struct State {
  Task task;
  Limits limits;
  std::vector<PlanVersion> plans{};
  std::vector<PlanVersion> passed_over{};  // answered beside the plan of that version, and no better by the cost model
  int64_t begun_sub_tasks = 0;             // of the latest plan; the last of them is under way
  int64_t replans = 0;
  Activity activity = Activity::kPlan;
  std::optional<Activity> paused_at{};
  std::string pause_reason{};
  std::optional<Writing> writing{};
  std::vector<Attempt> attempts{};
  Incumbent incumbent;
  std::vector<Profile> profiles{};
  std::vector<Feedback> feedback{};
  std::vector<Note> notes{};
  std::vector<Spending> ledger{};
  std::vector<Decision> decisions{};
};

// The sub-task under way, nullptr before the first and after the last.
const SubTask* current_sub_task(const State& state);
// The attempts at it under the present plan, oldest first.
std::vector<const Attempt*> current_attempts(const State& state);
// The latest attempt at the same nodes, under whatever plan, whose text has that digest; nullptr where there is none.
const Attempt* attempt_with(const State& state, const std::string& digest);
// How much of the latest plan the Coder has a right answer to.
struct AnsweredSubTasks {
  int64_t asked = 0;  // sub-tasks of the plan, begun or not
  int64_t right = 0;  // among them: those whose very nodes some attempt at them was right for, under whatever plan
};
AnsweredSubTasks answered_sub_tasks(const State& state);
// Adds what `spent` counts to `total`, whose role, plan and sub-task stay.
void add_amounts(const Spending& spent, Spending& total);
// All roles and sub-tasks together.
Spending total_spending(const State& state);

}  // namespace stitch::agents
