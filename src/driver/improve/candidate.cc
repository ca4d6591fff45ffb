// SPDX-License-Identifier: Apache-2.0
#include "driver/improve/candidate.h"

#include "codegen/emit.h"
#include "driver/written/step_nodes.h"

namespace stitch::driver {
namespace {

bool is_for_author(const Error& error) {
  return error.code == ErrorCode::kFileInvalid || error.code == ErrorCode::kUsage;
}

Result<AttemptedProgram> attempted_at(Job& job, const Subject& subject, const StepAttempt& attempt) {
  return with_attempt(job, {subject.task, subject.plan, subject.bundle}, attempt);
}

// The attempt at the sizes that the program before was judged at.
Result<SubjectSet> at_known_sizes(Job& job, SubjectSet set, const StepAttempt& attempt, int& judged_step) {
  for (Subject& subject : set.subjects) {
    const Subject& first = set.subjects.front();
    if (subject.same_binary) {
      subject.plan = first.plan;
      subject.bundle = first.bundle;
      continue;
    }
    STITCH_ASSIGN(AttemptedProgram attempted, attempted_at(job, subject, attempt));
    judged_step = &subject == &first ? attempted.step : judged_step;
    subject.plan = std::move(attempted.folder.plan);
    subject.bundle = std::move(attempted.folder.sources);
  }
  if (set.checked.has_value()) {
    STITCH_ASSIGN(AttemptedProgram attempted, attempted_at(job, *set.checked, attempt));
    set.checked->plan = std::move(attempted.folder.plan);
    set.checked->bundle = std::move(attempted.folder.sources);
  }
  return set;
}

// Code for its own sizes alone has no hidden ones, and the program with it is called with no other batch.
Result<SubjectSet> at_own_sizes(Job& job, const VerifiedProgram& expert, const AttemptedProgram& attempted) {
  STITCH_ASSIGN(const EmittedProgram emitted, emit_again(job, attempted.folder.plan));
  return make_subjects(job, expert.task, expert.imported, emitted, attempted.folder.sources, expert.device);
}

// The same program at the subject's sizes, with the host choices of `like`.
Result<void> take_host(Job& job, const plan::Plan& like, Subject& subject) {
  plan::Plan plan = subject.plan;
  plan::keep_host(plan, like);
  STITCH_ASSIGN(Folder folder, with_plan(job, {subject.task, subject.plan, subject.bundle}, std::move(plan)));
  subject.plan = std::move(folder.plan);
  subject.bundle = std::move(folder.sources);
  return {};
}

// `tried`: the step that has the text; nothing: the host side is new.
std::vector<StepOrigin> origins_of(const plan::Plan& before, const plan::Plan& after, std::optional<size_t> tried) {
  const std::map<size_t, size_t> kept = kept_steps(before, after);
  std::vector<StepOrigin> origins;
  for (size_t i = 0; i < after.steps.size(); ++i) {
    const auto found = kept.find(i);
    const bool is_kept = found != kept.end() && i != tried;
    origins.push_back({key_of_step(after, i), is_kept ? key_of_step(before, found->second) : "", i == tried});
  }
  if (after.host.has_value()) {
    origins.push_back({kHostSide, before.host.has_value() ? kHostSide : "", !tried.has_value()});
  }
  return origins;
}

// Units that are as the plan has them emitted; none where anything that they may include is not.
Result<std::set<std::string>> emitted_units(Job& job, const Subject& subject) {
  STITCH_ASSIGN(const EmittedProgram emitted, emit_again(job, subject.plan));
  const auto is_same = [&](const std::string& path) {
    const auto found = emitted.bundle.files.find(path);
    return found != emitted.bundle.files.end() && found->second == subject.bundle.files.at(path);
  };
  const std::set<std::string> all(subject.bundle.units.begin(), subject.bundle.units.end());
  std::set<std::string> units;
  for (const auto& [path, text] : subject.bundle.files) {
    if (all.contains(path) && is_same(path)) {
      units.insert(path);
    } else if (!all.contains(path) && !is_same(path)) {
      return std::set<std::string>();
    }
  }
  for (size_t i = 0; i < subject.plan.steps.size(); ++i) {
    if (subject.plan.steps[i].boundary >= 0) {
      units.erase(codegen::step_file_name(subject.plan, i));
    }
  }
  return units;
}

Result<void> tell_emitted(Job& job, SubjectSet& set) {
  for (Subject& subject : set.subjects) {
    if (subject.same_binary) {
      subject.emitted = set.subjects.front().emitted;
    } else {
      STITCH_ASSIGN(subject.emitted, emitted_units(job, subject));
    }
  }
  if (set.checked.has_value()) {
    STITCH_ASSIGN(set.checked->emitted, emitted_units(job, *set.checked));
  }
  return {};
}

}  // namespace

std::string key_of_step(const plan::Plan& plan, size_t step) {
  return std::filesystem::path(codegen::step_file_name(plan, step)).stem().string();
}

Result<std::variant<Candidate, NoCandidate>> candidate_with(Job& job, const VerifiedProgram& expert,
                                                            const TextProgram& before, const StepAttempt& attempt) {
  using Answer = std::variant<Candidate, NoCandidate>;
  Result<AttemptedProgram> attempted = with_attempt(job, {expert.task, before.plan, before.sources}, attempt);
  if (!attempted.has_value()) {
    return is_for_author(attempted.error()) ? Result<Answer>(NoCandidate{attempted.error().message})
                                            : failure(attempted.error());
  }
  Candidate candidate{.program = {}, .step = static_cast<size_t>(attempted->step)};
  int judged_step = attempted->step;
  const bool is_own = !plan::why_own_sizes(before.plan).empty() || !plan::why_own_sizes(attempted->folder.plan).empty();
  Result<SubjectSet> set =
      is_own ? at_own_sizes(job, expert, *attempted) : at_known_sizes(job, before.set, attempt, judged_step);
  if (!set.has_value()) {
    return is_for_author(set.error()) ? Result<Answer>(NoCandidate{set.error().message}) : failure(set.error());
  }
  candidate.judged_step = judged_step;
  candidate.steps = origins_of(before.plan, attempted->folder.plan, candidate.step);
  candidate.program = {std::move(attempted->folder.plan), std::move(attempted->folder.sources), std::move(set).value()};
  candidate.program.set.has_strange_steps = true;
  STITCH_TRY(tell_emitted(job, candidate.program.set));
  return Answer(std::move(candidate));
}

Result<std::variant<Candidate, NoCandidate>> candidate_with(Job& job, const VerifiedProgram& expert,
                                                            const TextProgram& before, const plan::HostPlan& host) {
  using Answer = std::variant<Candidate, NoCandidate>;
  const Result<plan::Plan> planned = plan::with_host(before.plan, host);
  if (!planned.has_value()) {
    return Answer(NoCandidate{planned.error().message});
  }
  Candidate candidate;
  candidate.steps = origins_of(before.plan, *planned, std::nullopt);
  STITCH_ASSIGN(Folder folder, with_plan(job, {expert.task, before.plan, before.sources}, *planned));
  candidate.program = {std::move(folder.plan), std::move(folder.sources), before.set};
  SubjectSet& set = candidate.program.set;
  for (Subject& subject : set.subjects) {
    if (subject.same_binary) {
      subject.plan = set.subjects.front().plan;
      subject.bundle = set.subjects.front().bundle;
      continue;
    }
    STITCH_TRY(take_host(job, *planned, subject));
  }
  if (set.checked.has_value()) {
    STITCH_TRY(take_host(job, *planned, *set.checked));
  }
  STITCH_TRY(tell_emitted(job, set));
  return Answer(std::move(candidate));
}

}  // namespace stitch::driver
