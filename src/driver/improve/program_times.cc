// SPDX-License-Identifier: Apache-2.0
#include "driver/improve/program_times.h"

#include "codegen/emit.h"
#include "driver/time/executed_time.h"
#include "driver/time/step_cost.h"
#include "driver/time/time_on_gpu.h"

namespace stitch::driver {

// At the sizes that a verdict is made at: they are chosen so that the emulated device gets through many runs of them.
Result<ExecutedTime> ProgramTimes::counted_call(const TextProgram& program) {
  const bool on_gpu = device_ == DeviceKind::kCuda && program.set.checked.has_value();
  const Subject& subject = on_gpu ? *program.set.checked : program.set.subjects.front();
  const bool is_declared = program.set.scale == "full" && !on_gpu;
  return executed_time(job_, tools_,
                       {.plan = subject.plan,
                        .sources = subject.bundle,
                        .declared = is_declared ? nullptr : &program.plan,
                        .sizes = subject.shape,
                        .authors = authors_of(program.set, subject)});
}

Result<std::optional<HostCounts>> ProgramTimes::host_counts(const TextProgram& program) {
  if (device_ == DeviceKind::kCuda && !program.set.checked.has_value()) {
    return std::optional<HostCounts>();
  }
  STITCH_ASSIGN(const ExecutedTime executed, counted_call(program));
  return executed.refusal.empty() ? std::optional(executed.host) : std::nullopt;
}

Result<TakenTimes> ProgramTimes::executed(const TextProgram& program) {
  STITCH_ASSIGN(const ExecutedTime executed, counted_call(program));
  TakenTimes times;
  if (!executed.refusal.empty()) {
    job_.progress().fact("executed", executed.refusal);
    return times;
  }
  const auto counted = [](double us) { return TakenTime{TimeSource::kExecuted, us, us, us}; };
  times.program = counted(executed.executed_us);
  times.host = executed.host;
  times.launches = executed.launches;
  const plan::Plan& plan = program.set.subjects.front().plan;
  for (const plan::StepExecution& each : executed.steps) {
    if (each.step >= 0) {
      times.steps[key_of_step(plan, static_cast<size_t>(each.step))] = counted(each.executed_us);
    }
  }
  return times;
}

Result<std::optional<TakenTime>> ProgramTimes::measured(const TextProgram& program, MathMode math,
                                                        const evaluate::EvaluateReport& report) {
  STITCH_ASSIGN(const MeasuredProgram measured,
                time_on_gpu(job_, tools_, {program.plan.graph, report.compile.library, report.verify, math}));
  if (const std::string refusal = measured.times.refusal(); !refusal.empty()) {
    job_.progress().fact("time", refusal);
    return std::optional<TakenTime>();
  }
  // As hosts call it: by CUDA graph, where that can be, unless the program says that it is not worth it.
  const bool replays = !program.plan.host.has_value() || program.plan.host->replays;
  const bool as_graph = replays && !measured.times.graph.samples_us.empty();
  const evaluate::Timing& best = as_graph ? measured.times.graph : measured.times.plain;
  return std::optional(TakenTime{TimeSource::kMeasured, best.median_us, best.interval.low, best.interval.high});
}

Result<TakenTime> ProgramTimes::measured_step(const TextProgram& program, size_t step) {
  const std::string& text = program.sources.files.at(codegen::step_file_name(program.plan, step));
  const std::pair key{key_of_step(program.plan, step), text};
  if (const auto known = known_.find(key); known != known_.end()) {
    return known->second;
  }
  StepCost cost = counted_cost(program.plan, static_cast<int>(step));
  STITCH_TRY(measure_cost(job_, tools_, program.plan, text, cost));
  const double half = 0.5 * cost.spread * *cost.measured_us;
  const TakenTime time{TimeSource::kMeasured, *cost.measured_us, *cost.measured_us - half, *cost.measured_us + half};
  known_[key] = time;
  return time;
}

Result<TakenTimes> ProgramTimes::measured_steps(const TextProgram& program) {
  TakenTimes times;
  for (size_t i = 0; i < program.plan.steps.size(); ++i) {
    if (program.plan.steps[i].phase == plan::Phase::kRun) {
      STITCH_ASSIGN(times.steps[key_of_step(program.plan, i)], measured_step(program, i));
    }
  }
  return times;
}

}  // namespace stitch::driver
