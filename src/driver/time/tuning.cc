// SPDX-License-Identifier: Apache-2.0
#include "driver/time/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "base/json/json.h"
#include "base/parallel/for_each_parallel.h"
#include "driver/build/compile_program.h"
#include "driver/build/gpu_room.h"
#include "driver/build/library_folders.h"
#include "driver/time/timing_lock.h"
#include "plan/batch/any_batch.h"
#include "toolchain/discovery/visible_gpu.h"
#include "tuning/choice/proven_settings.h"
#include "tuning/choice/worth_timing.h"
#include "tuning/measure/measure_setting.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDatabaseName = "tuning.sqlite";
constexpr int kMaxRounds = 4;                // of plans that take what was measured, and are measured in turn
constexpr double kShareOfSteps = 0.6;        // of the budget, before other whole plans have their share
constexpr int kMeasuredAtOnce = 3;           // of which one is timed: the others start processes
constexpr size_t kMaxPlans = 3;              // that are timed whole
constexpr double kNear = 1.4;                // times what the plan is expected to take: slower ones are not timed whole
constexpr double kBudgetsForWholePlans = 2;  // until then they are timed
constexpr double kBudgetsForLastLook = 3;    // until then the tuned program takes turns with the untuned one

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
  // Whether there is still time to build these side by side, and to time one, before so many budgets have passed.
  bool has_room_for(const std::vector<plan::Plan>& plans, double budgets = kBudgetsForWholePlans) const {
    constexpr double kSecondsOfStep = 5;  // of a compiler
    size_t steps = 0;
    for (const plan::Plan& plan : plans) {
      steps += plan.steps.size();
    }
    const double building =
        kSecondsOfStep * static_cast<double>(steps) / std::max(1u, std::thread::hardware_concurrency());
    return worked_seconds() + building < budgets * job_.options().tune_seconds;
  }

  Result<void> build(const plan::Plan& plan, const tuning::Trial& trial) const {
    return tuning::build_setting(plan, trial.step, trial.setting, tools_, measuring_);
  }

  // From several threads.
  Result<std::optional<tuning::Measurement>> measure(const plan::Plan& plan, const tuning::Trial& trial) {
    STITCH_ASSIGN(const std::shared_ptr<const Draws> draws, draws_of(plan, trial));
    return tuning::measure_setting(plan, trial.step, trial.setting, *draws, tools_, measuring_);
  }

  // Side by side: most of what each waits for is its slowest step.
  Result<void> build(const std::vector<plan::Plan>& plans) const {
    return for_each_parallel(plans.size(), 0, [&](size_t number) -> Result<void> {
      const Result<void> built = tuning::build_whole(plans[number], tools_, measuring_);
      return number == 0 ? built : Result<void>{};
    });
  }

  Result<std::optional<tuning::Measurement>> measure(const plan::Plan& plan) {
    return tuning::measure_plan(plan, tools_, measuring_);
  }

  Result<tuning::Turns> take_turns(const plan::Plan& plan, const plan::Plan& other) {
    return tuning::take_turns(plan, other, tools_, measuring_);
  }

 private:
  using Draws = std::vector<evaluate::TimedDraw>;

  // Of the step that was asked for last, kept for its other settings.
  Result<std::shared_ptr<const Draws>> draws_of(const plan::Plan& plan, const tuning::Trial& trial) {
    const std::lock_guard lock(drawing_);
    if (signature_ != trial.signature) {
      STITCH_ASSIGN(Draws draws, tuning::draws_of_step(plan, trial.step));
      draws_ = std::make_shared<const Draws>(std::move(draws));
      signature_ = trial.signature;
    }
    return draws_;
  }

  // Own threads take turns, which is no waiting for others.
  Result<void> alone(const std::function<Result<void>()>& work) {
    const std::lock_guard own_threads(timing_);
    const double asked = job_.elapsed_seconds();
    STITCH_ASSIGN(const std::optional<evaluate::GpuShare> whole, take_whole_gpu(job_, tools_, memory_));
    return lock_.alone([&] {
      waited_seconds_.fetch_add(job_.elapsed_seconds() - asked);
      return work();
    });
  }

  Job& job_;
  const toolchain::Toolchain& tools_;
  TimingLock lock_;
  GpuMemory memory_ = memory_of_gpu();
  tuning::MeasureOptions measuring_;
  std::mutex drawing_, timing_;
  std::string signature_;  // whose contents these are
  std::shared_ptr<const Draws> draws_;
  double begin_seconds_ = 0;
  std::atomic<double> waited_seconds_ = 0;
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
Result<plan::Plan> Tuning::planned(const PlannedBy& planned_by, const plan::WantedForm& form) {
  STITCH_ASSIGN(plan::Plan plan, planned_by(times(), form));
  if (shipped_.has_value()) {
    STITCH_ASSIGN(const bool is_more, shipped_->carry_over(plan));
    if (is_more) {
      return planned_by(times(), form);
    }
  }
  return plan;
}

PlannedBy planner_of(const Job& job, const plan::ProgramBatches& batches, MathMode math) {
  return [&job, &batches, math](const plan::MeasuredTimes& times, const plan::WantedForm& form) {
    return plan::plan_any_batch(batches, [&](const ir::Graph& graph) {
      return make_plan(job, graph, math, {.measured = times, .form = form});
    });
  };
}

namespace {

plan::WantedForm exactly(const plan::PlanForm& form) { return {form.layout, form.style}; }

// But the one that `chosen` has: the other layout, and both layouts by libraries.
std::vector<plan::PlanForm> other_forms(const plan::Plan& chosen, bool with_libraries) {
  using plan::Layout, plan::Style;
  std::vector<plan::PlanForm> forms;
  for (const Style style : {Style::kByCost, Style::kByLibraries}) {
    for (const Layout layout : {Layout::kChannelsLast, Layout::kChannelsFirst}) {
      const plan::PlanForm form{layout, style};
      if (form != chosen.form && (with_libraries || style == Style::kByCost)) {
        forms.push_back(form);
      }
    }
  }
  return forms;
}

}  // namespace

Result<TunedPlan> Tuning::tune(const PlannedBy& planned_by) {
  Trials trials(*job_, *tools_);
  STITCH_TRY(trials.open());
  TunedPlan tuned;
  STITCH_ASSIGN(const plan::Plan first, settle(planned_by, {}, kShareOfSteps, trials, tuned.result));
  std::vector<plan::Plan> plans = with_rivals(planned_by, first, trials);
  if (plans.size() == 1) {
    STITCH_ASSIGN(tuned.plan, settle(planned_by, {}, 1.0, trials, tuned.result));
  } else {
    STITCH_ASSIGN(const plan::PlanForm form, compare(planned_by, std::move(plans), trials, tuned));
    STITCH_ASSIGN(tuned.plan, planned_by(times(), exactly(form)));
  }
  STITCH_TRY(take_last_look(planned_by, trials, tuned));
  if (shipped_.has_value()) {
    shipped_->remove_carried(tuned.plan, own_times());
  }
  return tuned;
}

// As without tuning.
Result<plan::Plan> Tuning::untuned(const PlannedBy& planned_by) {
  return shipped_.has_value() && !shipped_->is_empty() ? shipped_->plan(planned_by) : planned_by({}, {});
}

// The untuned plan with what measured times prove of its steps alone; nothing where that is nothing.
std::optional<plan::Plan> Tuning::proven(const PlannedBy& planned_by, const plan::Plan& untuned) const {
  const tuning::KnownTimes known = [this](const std::string& signature, const kernels::Setting& setting) {
    const auto found = database_.find(context_, signature, setting);
    return found.has_value() ? *found : std::optional<tuning::Measurement>{};
  };
  tuning::ProvenSettings settings = tuning::proven_settings(untuned, known);
  if (settings.replaced == 0) {
    return std::nullopt;
  }
  Result<plan::Plan> plan = planned_by(tuning::only_these(std::move(settings)), exactly(untuned.form));
  const bool is_one = plan.has_value() && tuning::are_same_steps(*plan, untuned);
  return is_one ? std::optional(std::move(*plan)) : std::nullopt;
}

// What is planned by other times than those that are known tells of those that are.
void Tuning::tell_measured(plan::Plan& plan) const {
  const plan::MeasuredTimes known = times();
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    plan::Step& step = plan.steps[i];
    const std::string signature = plan::step_signature(plan::step_group(plan, i), step.skeleton);
    step.measured_us = known(signature, step.setting);
    for (plan::Alternative& other : step.alternatives) {
      other.measured_us = known(signature, other.setting);
    }
  }
}

Result<void> Tuning::take_last_look(const PlannedBy& planned_by, Trials& trials, TunedPlan& tuned) {
  STITCH_ASSIGN(plan::Plan without, untuned(planned_by));
  if (tuning::is_same_work(without, tuned.plan)) {
    return {};
  }
  without.program = tuned.plan.program;
  std::vector<plan::Plan> plans = {tuned.plan};
  tuned.last_look.emplace_back().name = "as tuned";
  std::optional<size_t> by_steps;
  if (std::optional<plan::Plan> settled = proven(planned_by, without); settled.has_value()) {
    by_steps = tuning::is_same_work(*settled, tuned.plan) ? 0 : 1;
    if (by_steps == 1) {
      plans.push_back(std::move(*settled));
      tuned.last_look.emplace_back().name = "by measured settings alone";
    }
  }
  const bool are_known_whole = std::any_of(tuned.compared.begin(), tuned.compared.end(),
                                           [](const tuning::WholePlan& one) { return one.measured.has_value(); });
  const tuning::LastLook look{
      .has_room = [&] { return trials.has_room_for({plans.front(), without}, kBudgetsForLastLook); },
      .known = [&](size_t number) { return known_turns(plans[number], without); },
      .time = [&](size_t number) { return time_turns(plans[number], without, trials); }};
  const std::optional<size_t> taken =
      tuning::last_look(tuned.last_look, are_known_whole ? std::optional<size_t>(0) : by_steps, look);
  tuned.plan = taken.has_value() ? std::move(plans[*taken]) : std::move(without);
  tell_measured(tuned.plan);
  return {};
}

// As time_turns() has stored it.
Result<std::optional<evaluate::Speedup>> Tuning::known_turns(const plan::Plan& plan, const plan::Plan& without) const {
  STITCH_ASSIGN(const auto own, database_.find(context_, without.program, tuning::setting_of_whole(plan)));
  STITCH_ASSIGN(const auto other, database_.find(context_, without.program, tuning::setting_of_whole(without)));
  const bool is_alone = other.has_value() && !std::isfinite(other->median_us);
  if (!is_alone && (!own.has_value() || !other.has_value())) {
    return std::optional<evaluate::Speedup>{};
  }
  const double speedup = is_alone ? std::numeric_limits<double>::infinity() : other->median_us / own->median_us;
  return std::optional(evaluate::Speedup{.median = speedup, .low = speedup, .high = speedup, .refusal = {}});
}

// Of the tuned program the time is kept that its speedup's pessimistic end leaves it; infinity of one that does not
// run.
Result<std::optional<evaluate::Speedup>> Tuning::time_turns(const plan::Plan& plan, const plan::Plan& without,
                                                            Trials& trials) {
  Progress::Wait wait = job_->progress().wait("tune", "the whole program, tuned and untuned in turns");
  STITCH_ASSIGN(const tuning::Turns turns, trials.take_turns(plan, without));
  const evaluate::Speedup& speedup = turns.speedup;
  if (!speedup.refusal.empty()) {
    return std::optional(speedup);
  }
  wait.say(fmt::format("tuned, the whole program is {:.3f} times as fast ({:.3f} to {:.3f})", speedup.median,
                       speedup.low, speedup.high));
  const bool is_alone = std::isinf(speedup.low);
  const tuning::Measurement other{is_alone ? speedup.low : turns.other_us, 0};
  STITCH_TRY(database_.store(context_, without.program, tuning::setting_of_whole(without), other));
  if (!is_alone) {
    const tuning::Measurement own{other.median_us / speedup.low, 0};
    STITCH_TRY(database_.store(context_, without.program, tuning::setting_of_whole(plan), own));
  }
  return std::optional(speedup);
}

// One that cannot be planned is none; nor is one that does the same, or is expected to be slow.
std::vector<plan::Plan> Tuning::with_rivals(const PlannedBy& planned_by, const plan::Plan& chosen,
                                            const Trials& trials) const {
  std::vector<plan::Plan> plans = {chosen};
  for (const plan::PlanForm& form : other_forms(chosen, trials.has_libraries())) {
    Result<plan::Plan> rival = planned_by(times(), exactly(form));
    const bool is_one = rival.has_value() && plan::expected_us(*rival) <= kNear * plan::expected_us(chosen) &&
                        std::none_of(plans.begin(), plans.end(),
                                     [&](const plan::Plan& other) { return tuning::is_same_work(*rival, other); });
    if (is_one) {
      plans.push_back(std::move(*rival));
    }
  }
  std::stable_sort(plans.begin() + 1, plans.end(), [](const plan::Plan& a, const plan::Plan& b) {
    return plan::expected_us(a) < plan::expected_us(b);
  });
  plans.resize(std::min(plans.size(), kMaxPlans));
  return plans;
}

Result<plan::Plan> Tuning::settle(const PlannedBy& planned_by, const plan::WantedForm& form, double share,
                                  Trials& trials, tuning::TuneResult& result) {
  STITCH_ASSIGN(plan::Plan plan, planned(planned_by, form));
  STITCH_TRY(try_believed(planned_by, form, plan, share, trials));
  STITCH_ASSIGN(plan, planned(planned_by, form));
  for (int round = 0; round < kMaxRounds; ++round) {
    const auto worth = tuning::worth_timing(plan, {}, trials.has_libraries());
    STITCH_ASSIGN(const tuning::TuneResult tried, try_settings(plan, worth, share, trials));
    add(result, tried, round == 0 && result.known + result.measured == 0);
    if (tried.measured == 0) {
      break;
    }
    STITCH_ASSIGN(plan, planned(planned_by, form));
  }
  return plan;
}

// Beside measured steps those are doubted that do the work of several and that nobody measured, so they would never be
// timed. What the program would be without that doubt has them: the best settings of each that `plan` has not.
Result<void> Tuning::try_believed(const PlannedBy& planned_by, plan::WantedForm form, const plan::Plan& plan,
                                  double share, Trials& trials) {
  constexpr tuning::TrialLimits kFew{.settings_per_step = 2};
  form.believes_estimates = true;
  STITCH_ASSIGN(const plan::Plan believed, planned(planned_by, form));
  std::set<std::string> known;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    known.insert(plan::step_signature(plan::step_group(plan, i), plan.steps[i].skeleton));
  }
  std::vector<tuning::Trial> worth = tuning::worth_timing(believed, kFew, trials.has_libraries());
  std::erase_if(worth, [&](const tuning::Trial& trial) { return known.contains(trial.signature); });
  STITCH_TRY(try_settings(believed, worth, share / 2, trials));
  return {};
}

Result<tuning::TuneResult> Tuning::try_settings(const plan::Plan& plan, const std::vector<tuning::Trial>& worth,
                                                double share, Trials& trials) {
  tuning::TuneOptions options;
  options.measuring_jobs = kMeasuredAtOnce;
  options.budget_seconds = std::max(0.0, share * job_->options().tune_seconds - trials.worked_seconds());
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
  return tuning::tune(worth, context_, database_, options);
}

Result<plan::PlanForm> Tuning::compare(const PlannedBy& planned_by, std::vector<plan::Plan> plans, Trials& trials,
                                       TunedPlan& tuned) {
  for (plan::Plan& one : plans) {
    Result<plan::Plan> settled = settle(planned_by, exactly(one.form), 1.0, trials, tuned.result);
    one = settled.has_value() ? std::move(*settled) : std::move(one);
    tuned.compared.push_back({plan::to_string(one.form), plan::expected_us(one)});
  }
  const bool is_built = trials.has_room_for(plans);
  if (is_built) {
    const Progress::Wait wait = job_->progress().wait("tune", fmt::format("nvcc on {} whole plans", plans.size()));
    STITCH_TRY(trials.build(plans));
  }
  tuning::WholePlanOptions options;
  options.within = kNear;
  options.has_room = [&] { return is_built && trials.has_room_for({}); };
  options.measure = [&](size_t number) { return time_whole(plans[number], trials); };
  STITCH_ASSIGN(const size_t best, tuning::fastest(tuned.compared, options));
  return plans[best].form;
}

Result<std::optional<tuning::Measurement>> Tuning::time_whole(const plan::Plan& plan, Trials& trials) {
  const std::string form = plan::to_string(plan.form);
  Progress::Wait wait = job_->progress().wait("tune", fmt::format("the whole program, {}", form));
  STITCH_ASSIGN(const std::optional<tuning::Measurement> measured, trials.measure(plan));
  if (measured.has_value()) {
    wait.say(fmt::format("the whole program, {}: {}", form, time_text(*measured)));
    STITCH_TRY(database_.store(context_, plan.program, plan::setting_of(plan.form), *measured));
  }
  return measured;
}

Json to_json(const std::vector<tuning::WholePlan>& compared, const plan::PlanForm& taken) {
  Json plans = Json::array();
  for (const tuning::WholePlan& one : compared) {
    Json plan = {{"form", one.name}, {"expected_us", one.expected_us}, {"taken", one.name == plan::to_string(taken)}};
    plan["measured_us"] =
        one.measured.has_value() && std::isfinite(one.measured->median_us) ? Json(one.measured->median_us) : Json();
    if (!one.why_not.empty()) {
      plan["why_not"] = one.why_not;
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

Json to_json(const std::vector<tuning::Challenger>& challengers) {
  Json told = Json::array();
  for (const tuning::Challenger& one : challengers) {
    Json json = {{"program", one.name}, {"taken", one.is_taken}};
    if (one.over_untuned.has_value() && std::isfinite(one.over_untuned->high)) {
      json["over_untuned"] = {one.over_untuned->low, one.over_untuned->median, one.over_untuned->high};
    }
    if (!one.why_not.empty()) {
      json["why_not"] = one.why_not;
    }
    told.push_back(std::move(json));
  }
  return told;
}

}  // namespace stitch::driver
