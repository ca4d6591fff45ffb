// SPDX-License-Identifier: Apache-2.0
// The measured choice of settings: the tuning database of this machine, and the timing that fills it.
#pragma once

#include <optional>
#include <vector>

#include "base/json/json_forward.h"
#include "driver/job/job.h"
#include "driver/time/planned_by.h"
#include "driver/time/shipped.h"
#include "plan/plan.h"
#include "toolchain/discovery/toolchain.h"
#include "tuning/database/database.h"
#include "tuning/measure/last_look.h"
#include "tuning/measure/tune.h"
#include "tuning/measure/whole_plans.h"

namespace stitch::driver {

struct TunedPlan {
  plan::Plan plan;
  tuning::TuneResult result;
  std::vector<tuning::WholePlan> compared{};  // the whole plans that there are; empty where there is only one
  // Beside the untuned program, the plan that is taken where none of these is; empty where tuning changes nothing.
  std::vector<tuning::Challenger> last_look{};
};

// "whole_plans" of a report: each with what it was expected to take, its time, or why it has none.
Json to_json(const std::vector<tuning::WholePlan>& compared, const plan::PlanForm& taken);

// "against_untuned" of a report: what was seen of each in turns with the untuned program.
Json to_json(const std::vector<tuning::Challenger>& challengers);

// Measures steps of one math mode on this machine's GPU. Without a GPU nothing is measured, and times from elsewhere
// are not used.
class Tuning {
 public:
  // Empty without a GPU or its compiler, or with --no-tune. What ships for the device tells which settings are tried
  // first; what was measured here counts before it.
  static Result<std::optional<Tuning>> open(Job& job, const toolchain::Toolchain& tools, MathMode math);

  // Times settings of the plan's steps that have no time yet, and of those that the plan then takes, until none is
  // left that matters or the budget has ended. Where the program can be planned otherwise, in the other layout or by
  // libraries (plan::Style), and that is expected to be near, the plans are timed whole, and the fastest is taken.
  // At the end that program takes turns with the one that is planned without tuning, which stays where the other is not
  // seen to be faster. Nothing is left to a guess where there was no time for that: then a setting takes the place of
  // the untuned plan's where both were measured.
  Result<TunedPlan> tune(const PlannedBy& planned_by);
  // By what the settings were chosen that nobody measured here; empty where nothing ships.
  std::string describe_shipped(const plan::Plan& plan) const { return shipped_ ? shipped_->describe(plan) : ""; }

 private:
  class Trials;
  Tuning(Job& job, const toolchain::Toolchain& tools, tuning::Context context, tuning::TuningDatabase database,
         std::optional<Shipped> shipped)
      : job_(&job),
        tools_(&tools),
        context_(std::move(context)),
        database_(std::move(database)),
        shipped_(std::move(shipped)) {}

  plan::MeasuredTimes own_times() const;
  plan::MeasuredTimes times() const;  // our own, else those that ship
  Result<plan::Plan> planned(const PlannedBy& planned_by, const plan::WantedForm& form);
  // Until `share` of the budget has passed.
  Result<plan::Plan> settle(const PlannedBy& planned_by, const plan::WantedForm& form, double share, Trials& trials,
                            tuning::TuneResult& result);
  Result<void> try_believed(const PlannedBy& planned_by, plan::WantedForm form, const plan::Plan& plan, double share,
                            Trials& trials);
  Result<tuning::TuneResult> try_settings(const plan::Plan& plan, const std::vector<tuning::Trial>& worth, double share,
                                          Trials& trials);
  // `chosen`, then the others that are expected to be near it.
  std::vector<plan::Plan> with_rivals(const PlannedBy& planned_by, const plan::Plan& chosen,
                                      const Trials& trials) const;
  Result<plan::PlanForm> compare(const PlannedBy& planned_by, std::vector<plan::Plan> plans, Trials& trials,
                                 TunedPlan& tuned);
  Result<std::optional<tuning::Measurement>> time_whole(const plan::Plan& plan, Trials& trials);
  Result<plan::Plan> untuned(const PlannedBy& planned_by);
  std::optional<plan::Plan> proven(const PlannedBy& planned_by, const plan::Plan& untuned) const;
  void tell_measured(plan::Plan& plan) const;
  Result<void> take_last_look(const PlannedBy& planned_by, Trials& trials, TunedPlan& tuned);
  Result<std::optional<evaluate::Speedup>> known_turns(const plan::Plan& plan, const plan::Plan& without) const;
  Result<std::optional<evaluate::Speedup>> time_turns(const plan::Plan& plan, const plan::Plan& without,
                                                      Trials& trials);

  Job* job_;
  const toolchain::Toolchain* tools_;
  tuning::Context context_;
  tuning::TuningDatabase database_;
  std::optional<Shipped> shipped_;
};

}  // namespace stitch::driver
