// SPDX-License-Identifier: Apache-2.0
#include "driver/time/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "driver/build/compile_program.h"
#include "driver/build/gpu_room.h"
#include "driver/build/library_folders.h"
#include "driver/time/timing_lock.h"
#include "plan/batch/any_batch.h"
#include "toolchain/discovery/visible_gpu.h"
#include "tuning/choice/worth_timing.h"
#include "tuning/measure/measure_setting.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDatabaseName = "tuning.sqlite";
constexpr int kMaxRounds = 4;            // of plans that take what was measured, and are measured in turn
constexpr double kMaxOtherLayout = 1.4;  // times the chosen plan: a layout expected slower is not timed

std::string time_text(const tuning::Measurement& measurement) {
  return std::isfinite(measurement.median_us) ? fmt::format("{:.1f} us", measurement.median_us) : "does not run";
}

std::string as_text(const tuning::Trial& trial, const tuning::Measurement& measurement, const plan::Plan& plan) {
  const std::string splits = trial.setting.splits > 1 ? fmt::format(" x{}", trial.setting.splits) : "";
  return fmt::format("{} by {}{}: {}", plan.steps[trial.step].name, trial.setting.variant, splits,
                     time_text(measurement));
}

void add(tuning::TuneResult& sum, const tuning::TuneResult& more, bool is_first) {
  sum.known = is_first ? more.known : sum.known;
  sum.measured += more.measured;
  sum.left = more.left;
}

}  // namespace

// What trials share: the lock that they take in turn, contents for the step at hand, and a budget of which waiting for
// others on this GPU takes nothing.
class Tuning::Trials {
 public:
  Trials(Job& job, const toolchain::Toolchain& tools) : job_(job), tools_(tools), lock_(tools.cache) {
    begin_seconds_ = job.elapsed_seconds();
    measuring_.runtime_folder = job.resources().runtime();
    measuring_.library_folders = library_folders(job);
    measuring_.alone = [this](const auto& work) { return alone(work); };
  }

  Result<void> open() {
    STITCH_ASSIGN(measuring_.architecture, toolchain::gpu_architecture());
    return {};
  }
  bool has_libraries() const { return !measuring_.library_folders.empty(); }
  double worked_seconds() const { return job_.elapsed_seconds() - begin_seconds_ - waited_seconds_; }
  double left_seconds() const { return job_.options().tune_seconds - worked_seconds(); }

  Result<void> build(const plan::Plan& plan, const tuning::Trial& trial) const {
    return tuning::build_setting(plan, trial.step, trial.setting, tools_, measuring_);
  }

  Result<std::optional<tuning::Measurement>> measure(const plan::Plan& plan, const tuning::Trial& trial) {
    if (signature_ != trial.signature) {
      STITCH_ASSIGN(draws_, tuning::draws_of_step(plan, trial.step));
      signature_ = trial.signature;
    }
    return tuning::measure_setting(plan, trial.step, trial.setting, draws_, tools_, measuring_);
  }

  Result<std::optional<tuning::Measurement>> measure(const plan::Plan& plan) {
    return tuning::measure_plan(plan, tools_, measuring_);
  }

 private:
  Result<void> alone(const std::function<Result<void>()>& work) {
    const double asked = job_.elapsed_seconds();
    STITCH_ASSIGN(const std::optional<evaluate::GpuShare> whole, take_whole_gpu(job_, tools_, memory_));
    return lock_.alone([&] {
      waited_seconds_ += job_.elapsed_seconds() - asked;
      return work();
    });
  }

  Job& job_;
  const toolchain::Toolchain& tools_;
  TimingLock lock_;
  GpuMemory memory_ = memory_of_gpu();
  tuning::MeasureOptions measuring_;
  std::string signature_;  // whose contents these are
  std::vector<evaluate::TimedDraw> draws_;
  double begin_seconds_ = 0;
  double waited_seconds_ = 0;
};

Result<std::optional<Tuning>> Tuning::open(Job& job, const toolchain::Toolchain& tools, MathMode math) {
  const Result<std::string> gpu = toolchain::gpu_field("name");
  if (job.options().no_tune || !gpu.has_value() || !tools.supports(DeviceKind::kCuda).has_value()) {
    return std::optional<Tuning>{};
  }
  const bool is_default = job.options().tuning_database.empty() || names_times_text(job);
  const fs::path file = is_default ? tools.cache / kDatabaseName : fs::path(job.options().tuning_database);
  STITCH_ASSIGN(tuning::TuningDatabase database, tuning::TuningDatabase::open(file));
  STITCH_ASSIGN(std::optional<Shipped> shipped, Shipped::open(job, math));
  tuning::Context context{*gpu, tools.nvcc->identity, to_string(math)};
  return std::optional(Tuning(job, tools, std::move(context), std::move(database), std::move(shipped)));
}

plan::MeasuredTimes Tuning::own_times() const {
  return [this](const std::string& signature, const kernels::Setting& setting) -> std::optional<double> {
    const auto found = database_.find(context_, signature, setting);
    return found.has_value() && found->has_value() ? std::optional((*found)->median_us) : std::nullopt;
  };
}

plan::MeasuredTimes Tuning::times() const {
  return [this, own = own_times()](const std::string& signature, const kernels::Setting& setting) {
    const std::optional<double> here = own(signature, setting);
    return here.has_value() || !shipped_.has_value() ? here : shipped_->us(signature, setting);
  };
}

// Once more where times of similar steps are known of the steps that were planned.
Result<plan::Plan> Tuning::planned(const PlannedBy& planned_by, std::optional<plan::Layout> layout) {
  STITCH_ASSIGN(plan::Plan plan, planned_by(times(), layout));
  if (shipped_.has_value()) {
    STITCH_ASSIGN(const bool is_more, shipped_->carry_over(plan));
    if (is_more) {
      return planned_by(times(), layout);
    }
  }
  return plan;
}

PlannedBy planner_of(const Job& job, const plan::ProgramBatches& batches, MathMode math) {
  return [&job, &batches, math](const plan::MeasuredTimes& times, std::optional<plan::Layout> layout) {
    return plan::plan_any_batch(batches, [&](const ir::Graph& graph) {
      return make_plan(job, graph, math, {.measured = times, .layout = layout});
    });
  };
}

Result<TunedPlan> Tuning::tune(const PlannedBy& planned_by) {
  Trials trials(*job_, *tools_);
  STITCH_TRY(trials.open());
  TunedPlan tuned;
  STITCH_ASSIGN(tuned.plan, settle(planned_by, std::nullopt, trials, tuned.result));
  STITCH_TRY(compare_layouts(planned_by, tuned.plan, trials, tuned.result));
  STITCH_ASSIGN(tuned.plan, planned_by(times(), std::nullopt));
  if (shipped_.has_value()) {
    shipped_->remove_carried(tuned.plan, own_times());
  }
  return tuned;
}

Result<plan::Plan> Tuning::settle(const PlannedBy& planned_by, std::optional<plan::Layout> layout, Trials& trials,
                                  tuning::TuneResult& result) {
  STITCH_ASSIGN(plan::Plan plan, planned(planned_by, layout));
  for (int round = 0; round < kMaxRounds; ++round) {
    STITCH_ASSIGN(const tuning::TuneResult tried, try_settings(plan, trials));
    add(result, tried, round == 0 && !layout.has_value());
    if (tried.measured == 0) {
      break;
    }
    STITCH_ASSIGN(plan, planned(planned_by, layout));
  }
  return plan;
}

Result<tuning::TuneResult> Tuning::try_settings(const plan::Plan& plan, Trials& trials) {
  tuning::TuneOptions options;
  options.budget_seconds = std::max(0.0, trials.left_seconds());
  options.clock = [&] { return trials.worked_seconds(); };
  options.build = [&](const tuning::Trial& trial) { return trials.build(plan, trial); };
  options.measure = [&](const tuning::Trial& trial) { return trials.measure(plan, trial); };
  options.record = [&](const tuning::Trial& trial) { return tuning::record_of(plan, trial.step); };
  Progress::Wait wait = job_->progress().wait("tune", "nvcc on the first settings");
  std::map<size_t, double> best_us;
  options.progress = [&](const tuning::Trial& trial, const tuning::Measurement& measured, int done, int total) {
    const auto best = best_us.emplace(trial.step, measured.median_us).first;
    best->second = std::min(best->second, measured.median_us);
    const std::string found =
        std::isfinite(best->second) ? fmt::format(", best so far {:.1f} us", best->second) : std::string();
    wait.say(fmt::format("{}/{}  {}{}", done, total, as_text(trial, measured, plan), found));
  };
  return tuning::tune(tuning::worth_timing(plan, {}, trials.has_libraries()), context_, database_, options);
}

// Steps alone do not tell what a layout costs: what they leave in the cache for each other differs.
Result<void> Tuning::compare_layouts(const PlannedBy& planned_by, const plan::Plan& chosen, Trials& trials,
                                     tuning::TuneResult& result) {
  const plan::Layout other =
      chosen.layout == plan::Layout::kChannelsLast ? plan::Layout::kChannelsFirst : plan::Layout::kChannelsLast;
  STITCH_ASSIGN(const plan::Plan expected, planned_by(times(), other));
  const bool is_close = plan::expected_us(expected) <= kMaxOtherLayout * plan::expected_us(chosen);
  if (expected.layout == chosen.layout || !is_close || trials.left_seconds() <= 0) {
    return {};
  }
  STITCH_ASSIGN(const plan::Plan rival, settle(planned_by, other, trials, result));
  if (trials.left_seconds() > 0) {
    STITCH_TRY(time_whole(chosen, trials));
    STITCH_TRY(time_whole(rival, trials));
  }
  return {};
}

Result<void> Tuning::time_whole(const plan::Plan& plan, Trials& trials) {
  Progress::Wait wait = job_->progress().wait("tune", fmt::format("the whole program, {}", to_string(plan.layout)));
  STITCH_ASSIGN(const std::optional<tuning::Measurement> measured, trials.measure(plan));
  if (measured.has_value()) {
    wait.say(fmt::format("the whole program, {}: {}", to_string(plan.layout), time_text(*measured)));
    STITCH_TRY(database_.store(context_, plan.program, plan::setting_of(plan.layout), *measured));
  }
  return {};
}

}  // namespace stitch::driver
