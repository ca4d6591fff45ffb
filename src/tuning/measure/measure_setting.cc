// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/measure_setting.h"

#include <limits>

#include "codegen/emit.h"
#include "evaluate/runner/program_runner.h"
#include "evaluate/runner/time_against.h"
#include "evaluate/timing/statistics.h"
#include "toolchain/build/build.h"
#include "tuning/measure/samples.h"
#include "tuning/measure/time_program.h"

namespace stitch::tuning {
namespace {

constexpr Measurement kDoesNotWork{std::numeric_limits<double>::infinity(), 0};

// Long enough to tell settings apart, short enough to try many.
constexpr evaluate::TimingOptions kTiming{
    .block_us = 4000, .blocks = 7, .tries = 1, .cold_l2 = true, .graph = true, .judges_calls = false};

Result<plan::Plan> step_alone(const plan::Plan& plan, size_t index, const kernels::Setting& setting) {
  STITCH_ASSIGN(const plan::Plan alone, plan::step_plan(plan, static_cast<int>(index)));
  return plan::with_setting(alone, 0, setting);
}

constexpr int kAttempts = 3;
constexpr double kSteadySpread = 0.1;
constexpr double kUsableSpread = 0.3;

// Some work beside it on the machine may have spoilt a timing: the steadiest of a few counts.
Result<std::optional<Measurement>> time_steadily(evaluate::ProgramRunner& runner,
                                                 const evaluate::TimedSubject& subject) {
  std::optional<Measurement> best;
  for (int attempt = 0; attempt < kAttempts && (!best.has_value() || best->spread > kSteadySpread); ++attempt) {
    STITCH_ASSIGN(const evaluate::TimingOutcome timed, runner.time_blocks(subject, kTiming));
    if (timed.ending != evaluate::Ending::kOk) {
      return std::optional(kDoesNotWork);
    }
    const evaluate::Timing& timing = timed.timing;
    const bool is_usable = timing.median_us > 0 && timing.spread <= kUsableSpread;
    if (is_usable && (!best.has_value() || timing.spread < best->spread)) {
      best = Measurement{timing.median_us, timing.spread};
    }
  }
  return best;
}

Result<std::optional<Measurement>> time_subject(evaluate::ProgramRunner& runner,
                                                const evaluate::TimedSubject& subject) {
  STITCH_ASSIGN(const evaluate::CandidateOutcome prepared, runner.prepare(subject.parameters));
  if (prepared.ending != evaluate::Ending::kOk) {
    return std::optional(kDoesNotWork);
  }
  return time_steadily(runner, subject);
}

Result<CompileReport> build_plan(const plan::Plan& plan, int jobs, const toolchain::Toolchain& tools,
                                 const MeasureOptions& options) {
  STITCH_ASSIGN(SourceBundle bundle, codegen::emit(plan, {options.runtime_folder.string()}));
  toolchain::BuildRequest request{.bundle = std::move(bundle)};
  request.device = DeviceKind::kCuda;
  request.architecture = options.architecture;
  request.jobs = jobs;
  return toolchain::build(request, tools);
}

evaluate::RunnerOptions runner_of(const CompileReport& built, const toolchain::Toolchain& tools,
                                  const MeasureOptions& options) {
  evaluate::RunnerOptions runner;
  runner.binary = {DeviceKind::kCuda, built.library};
  runner.library_folders = options.library_folders;
  runner.cage = tools.confinement.mode;
  return runner;
}

// `jobs`: units built at a time; 0: one for each core.
Result<std::optional<Measurement>> time_plan(const plan::Plan& plan, int jobs, const evaluate::TimedSubject& subject,
                                             const toolchain::Toolchain& tools, const MeasureOptions& options) {
  STITCH_ASSIGN(const CompileReport built, build_plan(plan, jobs, tools, options));
  if (!built.ok) {
    return std::optional(kDoesNotWork);
  }
  // Processes start while others time theirs: that takes longer than what is timed. They end before the next one takes
  // its memory.
  STITCH_ASSIGN(auto runner, evaluate::ProgramRunner::start(runner_of(built, tools, options)));
  STITCH_ASSIGN(const evaluate::CandidateOutcome loaded, runner->load());
  if (loaded.ending != evaluate::Ending::kOk) {
    return std::optional(kDoesNotWork);
  }
  std::optional<Measurement> measurement;
  STITCH_TRY(options.alone([&]() -> Result<void> {
    STITCH_ASSIGN(measurement, time_subject(*runner, subject));
    runner.reset();
    return {};
  }));
  return measurement;
}

// Enough fours for an interval, and short blocks: this ranks two programs, and no time of it is told.
constexpr int kFours = 8;
constexpr evaluate::TimingOptions kTurns{
    .block_us = 8000, .blocks = 1, .tries = 2, .cold_l2 = true, .graph = true, .judges_calls = false};

Turns of_one_alone(double speedup) {
  return {.speedup = {.median = speedup, .low = speedup, .high = speedup, .refusal = {}}, .other_us = 0};
}

Result<Turns> turns_of(const evaluate::RunnerOptions& plan, const evaluate::RunnerOptions& other,
                       const evaluate::TimedSubject& subject) {
  STITCH_ASSIGN(const auto second, evaluate::ProgramRunner::start(other));
  STITCH_ASSIGN(const evaluate::CandidateOutcome second_prepared, second->prepare(subject.parameters));
  if (second_prepared.ending != evaluate::Ending::kOk) {
    return of_one_alone(std::numeric_limits<double>::infinity());
  }
  STITCH_ASSIGN(const auto first, evaluate::ProgramRunner::start(plan));
  STITCH_ASSIGN(const evaluate::CandidateOutcome first_prepared, first->prepare(subject.parameters));
  if (first_prepared.ending != evaluate::Ending::kOk) {
    return of_one_alone(0);
  }
  STITCH_ASSIGN(
      const evaluate::AgainstOutcome outcome,
      evaluate::time_against(*first, *second, subject, kFours, kTurns, evaluate::BaselineRuns::kAsTheCandidate));
  if (outcome.ending != evaluate::Ending::kOk) {
    return of_one_alone(0);
  }
  return Turns{outcome.speedup, evaluate::median(outcome.baseline_us)};
}

}  // namespace

Result<std::vector<evaluate::TimedDraw>> draws_of_step(const plan::Plan& plan, size_t index) {
  STITCH_ASSIGN(const plan::Plan alone, plan::step_plan(plan, static_cast<int>(index)));
  return sample_draws(alone.graph, 1);  // of our own code, which knows no contents: more take longer to bring there
}

Result<void> build_setting(const plan::Plan& plan, size_t index, const kernels::Setting& setting,
                           const toolchain::Toolchain& tools, const MeasureOptions& options) {
  const Result<plan::Plan> alone = step_alone(plan, index, setting);
  if (alone.has_value()) {
    STITCH_TRY(build_plan(*alone, 1, tools, options));
  }
  return {};
}

Result<std::optional<Measurement>> measure_setting(const plan::Plan& plan, size_t index,
                                                   const kernels::Setting& setting,
                                                   const std::vector<evaluate::TimedDraw>& draws,
                                                   const toolchain::Toolchain& tools, const MeasureOptions& options) {
  const Result<plan::Plan> alone = step_alone(plan, index, setting);
  if (!alone.has_value()) {
    return std::optional(kDoesNotWork);
  }
  const auto parameters = samples(alone->graph, {TensorRole::kParameter});
  return time_plan(*alone, 1, {.parameters = parameters, .draws = draws}, tools, options);
}

Result<void> build_whole(const plan::Plan& plan, const toolchain::Toolchain& tools, const MeasureOptions& options) {
  STITCH_TRY(build_plan(plan, 0, tools, options));
  return {};
}

Result<std::optional<Measurement>> measure_plan(const plan::Plan& plan, const toolchain::Toolchain& tools,
                                                const MeasureOptions& options) {
  return time_plan(plan, 0, sample_subject(plan.graph), tools, options);
}

Result<Turns> take_turns(const plan::Plan& plan, const plan::Plan& other, const toolchain::Toolchain& tools,
                         const MeasureOptions& options) {
  STITCH_ASSIGN(const CompileReport second, build_plan(other, 0, tools, options));
  if (!second.ok) {
    return of_one_alone(std::numeric_limits<double>::infinity());
  }
  STITCH_ASSIGN(const CompileReport first, build_plan(plan, 0, tools, options));
  if (!first.ok) {
    return of_one_alone(0);
  }
  const evaluate::TimedSubject subject = sample_subject(plan.graph);
  Turns turns;
  STITCH_TRY(options.alone([&]() -> Result<void> {
    STITCH_ASSIGN(turns, turns_of(runner_of(first, tools, options), runner_of(second, tools, options), subject));
    return {};
  }));
  return turns;
}

}  // namespace stitch::tuning
