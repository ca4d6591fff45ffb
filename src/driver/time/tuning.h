// SPDX-License-Identifier: Apache-2.0
// The measured choice of settings: the tuning database of this machine, and the timing that fills it.
#pragma once

#include <optional>

#include "driver/job/job.h"
#include "driver/time/planned_by.h"
#include "driver/time/shipped.h"
#include "plan/plan.h"
#include "toolchain/discovery/toolchain.h"
#include "tuning/database/database.h"
#include "tuning/measure/tune.h"

namespace stitch::driver {

struct TunedPlan {
  plan::Plan plan;
  tuning::TuneResult result;
};

// Measures steps of one math mode on this machine's GPU. Without a GPU nothing is measured, and times from elsewhere
// are not used.
class Tuning {
 public:
  // Empty without a GPU or its compiler, or with --no-tune. What ships for the device tells which settings are tried
  // first; what was measured here counts before it.
  static Result<std::optional<Tuning>> open(Job& job, const toolchain::Toolchain& tools, MathMode math);

  // Times settings of the plan's steps that have no time yet, and of those that the plan then takes, until none is
  // left that matters or the budget has ended. Where values may lie in either layout, both plans are timed whole.
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
  Result<plan::Plan> planned(const PlannedBy& planned_by, std::optional<plan::Layout> layout);
  Result<plan::Plan> settle(const PlannedBy& planned_by, std::optional<plan::Layout> layout, Trials& trials,
                            tuning::TuneResult& result);
  Result<tuning::TuneResult> try_settings(const plan::Plan& plan, Trials& trials);
  Result<void> compare_layouts(const PlannedBy& planned_by, const plan::Plan& chosen, Trials& trials,
                               tuning::TuneResult& result);
  Result<void> time_whole(const plan::Plan& plan, Trials& trials);

  Job* job_;
  const toolchain::Toolchain* tools_;
  tuning::Context context_;
  tuning::TuningDatabase database_;
  std::optional<Shipped> shipped_;
};

}  // namespace stitch::driver
