// SPDX-License-Identifier: Apache-2.0
#include "agents/run/loop.h"

#include <fmt/format.h>
#include <time.h>

#include "agents/retrieval/question.h"
#include "agents/routing/next.h"
#include "driver/score/score_attempt.h"

namespace stitch::agents {
namespace {

bool is_of_the_world(ErrorCode code) { return code == ErrorCode::kEnvironment || code == ErrorCode::kTimeout; }

std::string in_a_sentence(const Error& error) {
  return error.message + (error.location.empty() ? "" : fmt::format(" ({})", error.location)) +
         (error.remedy.empty() ? "" : "; " + error.remedy);
}

// Processor time of this thread: waiting for models, disks and a busy machine is none.
double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Takes the time of what is not the loop's own off its clock.
class Elsewhere {
 public:
  explicit Elsewhere(double& own_seconds) : own_seconds_(own_seconds) {}
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;
  ~Elsewhere() { own_seconds_ -= thread_seconds() - started_; }

 private:
  double& own_seconds_;
  double started_ = thread_seconds();
};

Event event_of(Done done) { return {std::move(done.body), std::move(done.spent)}; }

const Attempt* latest_at_sub_task(const State& state) {
  const auto attempts = current_attempts(state);
  return attempts.empty() ? nullptr : attempts.back();
}

// The last that holds code: after an answer without any, it is still what is to be mended.
const Attempt* latest_code(const State& state) {
  const auto attempts = current_attempts(state);
  for (auto each = attempts.rbegin(); each != attempts.rend(); ++each) {
    if (!(*each)->digest.empty()) {
      return *each;
    }
  }
  return nullptr;
}

}  // namespace

Result<Material> Loop::material_of(const State& state) const {
  Material material{.bench = bench_, .remembers = parts_.remembers};
  if (const Attempt* attempt = latest_code(state); attempt != nullptr) {
    STITCH_ASSIGN(material.last_code, folder_.code(attempt->digest));
  }
  const Attempt* latest = latest_at_sub_task(state);
  if (latest == nullptr) {
    return material;
  }
  material.told = folder_.told(latest->number);
  material.documents = folder_.documents(latest->number);
  const std::string facts = latest->outcome == Outcome::kRight ? folder_.facts(latest->number) : "";
  if (state.activity == Activity::kFeedback && !facts.empty() && !parts_.rubric.empty()) {
    STITCH_ASSIGN(material.marks, driver::marks_hint(facts, parts_.rubric));
  }
  if (!state.profiles.empty() && state.profiles.back().attempt == latest->number) {
    for (const StepTime& each : state.profiles.back().steps) {
      material.profile.push_back(bench_.facts_of(*current_sub_task(state), material.last_code, each));
    }
  }
  return material;
}

Result<Event> Loop::write(const State& state) {
  STITCH_ASSIGN(const Material material, material_of(state));
  STITCH_ASSIGN(Done done, roles_.coder->write(state, material));
  if (auto* written = std::get_if<Written>(&done.body); written != nullptr) {
    STITCH_ASSIGN(written->digest, folder_.keep_code(done.code));
  }
  return event_of(std::move(done));
}

// The program is none the slower since, so that the text is no better now than it was.
Result<Event> Loop::tell_again(const State& state, const Attempt& known) {
  const int64_t number = static_cast<int64_t>(state.attempts.size()) + 1;
  STITCH_TRY(folder_.keep_told(number, fmt::format("It is the text of attempt {}, and was not tried again: write "
                                                   "another, or answer that you cannot.\n{}",
                                                   known.number, folder_.told(known.number))));
  STITCH_TRY(folder_.keep_facts(number, folder_.facts(known.number)));
  return Event{
      Tested{.outcome = known.outcome, .fingerprint = known.fingerprint, .step = known.step, .program = known.program}};
}

Result<Event> Loop::test(const State& state) {
  if (const Attempt* known = attempt_with(state, state.writing->digest); known != nullptr) {
    return tell_again(state, *known);
  }
  STITCH_ASSIGN(const std::string text, folder_.code(state.writing->digest));
  Result<Trial> tried = [&] {
    const Elsewhere elsewhere(own_seconds_);
    return bench_.try_text(*current_sub_task(state), text, state.incumbent.program);
  }();
  STITCH_ASSIGN(const Trial trial, std::move(tried));
  const int64_t number = static_cast<int64_t>(state.attempts.size()) + 1;
  STITCH_TRY(folder_.keep_told(number, trial.told));
  STITCH_TRY(folder_.keep_facts(number, parts_.marks ? trial.facts : ""));
  return Event{Tested{.outcome = trial.outcome,
                      .fingerprint = trial.fingerprint,
                      .incumbent_fails = trial.incumbent_fails,
                      .step = trial.step,
                      .program = trial.program,
                      .steps = trial.steps},
               {{.role = Role::kTools, .gpu_seconds = trial.gpu_seconds, .seconds = trial.seconds}}};
}

Result<Event> Loop::profile(const State& state) {
  if (!parts_.profiles) {
    return Event{Profiled{}};
  }
  for (const Profile& each : state.profiles) {
    const auto number = static_cast<size_t>(each.attempt);
    if (number > 0 && state.attempts.at(number - 1).digest == state.attempts.back().digest) {
      return Event{Profiled{each.steps}};
    }
  }
  STITCH_ASSIGN(const std::string text, folder_.code(state.attempts.back().digest));
  const Elsewhere elsewhere(own_seconds_);
  STITCH_ASSIGN(std::vector<StepTime> steps, bench_.profile(*current_sub_task(state), text));
  return Event{Profiled{std::move(steps)}};
}

Result<Event> Loop::retrieve(const State& state) {
  STITCH_ASSIGN(const Material material, material_of(state));
  const Attempt& attempt = state.attempts.back();
  const std::optional<knowledge::Query> question =
      question_about(attempt, material.told, material.profile, bench_.plan().device);
  Found found = question.has_value() ? retriever_.look_up(*question) : Found{};
  STITCH_TRY(folder_.keep_documents(attempt.number, found.text));
  return Event{Retrieved{std::move(found.note)}};
}

Result<Event> Loop::perform(const State& state) {
  switch (state.activity) {
    case Activity::kPlan:
    case Activity::kReplan: {
      STITCH_ASSIGN(const Material material, material_of(state));
      STITCH_ASSIGN(Done done, roles_.planner->plan(state, material));
      return event_of(std::move(done));
    }
    case Activity::kTest:
      return test(state);
    case Activity::kProfile:
      return profile(state);
    case Activity::kRetrieve:
      return retrieve(state);
    case Activity::kFeedback: {
      STITCH_ASSIGN(const Material material, material_of(state));
      STITCH_ASSIGN(Done done, roles_.verifier->advise(state, material));
      return event_of(std::move(done));
    }
    default:
      STITCH_CHECK(is_writing(state.activity)) << "nobody works in '" << to_string(state.activity) << "'";
      return write(state);
  }
}

Result<State> Loop::tell(const State& before, const Event& event) {
  STITCH_ASSIGN(State after, next(before, event));
  STITCH_TRY(journal_.append(event, after));
  const bool is_new = after.attempts.size() > before.attempts.size();
  if (is_new && after.attempts.back().replaced_incumbent) {
    STITCH_ASSIGN(const std::string text, folder_.code(after.attempts.back().digest));
    STITCH_TRY(bench_.adopt(*current_sub_task(before), text));
  }
  if (told_) {
    told_(after, &event);
  }
  return after;
}

// In their order: what a text takes over depends on those before it.
Result<void> Loop::adopt_incumbent(const State& state) {
  for (const Attempt& attempt : state.attempts) {
    if (!attempt.replaced_incumbent) {
      continue;
    }
    const PlanVersion& plan = state.plans.at(static_cast<size_t>(attempt.plan - 1));
    STITCH_ASSIGN(const std::string text, folder_.code(attempt.digest));
    STITCH_TRY(bench_.adopt(plan.sub_tasks.at(static_cast<size_t>(attempt.sub_task)), text));
  }
  return {};
}

Result<State> Loop::begin(const State& initial) {
  STITCH_ASSIGN(std::optional<State> kept, journal_.latest());
  if (!kept.has_value()) {
    STITCH_TRY(journal_.begin(initial));
    return initial;
  }
  if (kept->task.digest != initial.task.digest) {
    return failure(ErrorCode::kUsage, "the program, its sizes or its device are no longer those of the run", "",
                   "begin a new run");
  }
  STITCH_TRY(adopt_incumbent(*kept));
  return kept->activity == Activity::kPaused ? tell(*kept, Event{Resumed{}}) : Result<State>(std::move(*kept));
}

Result<State> Loop::run(const State& initial) {
  STITCH_ASSIGN(State state, begin(initial));
  if (told_) {
    told_(state, nullptr);
  }
  while (state.activity != Activity::kStopped && state.activity != Activity::kPaused) {
    const double start = thread_seconds();
    Result<Event> event = perform(state);
    if (!event.has_value() && is_of_the_world(event.error().code)) {
      event = Event{EnvironmentFailed{in_a_sentence(event.error())}};
    }
    if (!event.has_value()) {
      return failure(event.error());
    }
    STITCH_ASSIGN(state, tell(state, *event));
    own_seconds_ += thread_seconds() - start;
  }
  return state;
}

}  // namespace stitch::agents
