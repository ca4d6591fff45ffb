// SPDX-License-Identifier: Apache-2.0
// The measured choice of settings: the tuning database of this machine, and the timing that fills it.
#pragma once

#include <functional>
#include <optional>

#include "driver/job/job.h"
#include "plan/batch/program_batches.h"
#include "plan/plan.h"
#include "toolchain/discovery/toolchain.h"
#include "tuning/database/database.h"
#include "tuning/measure/tune.h"

namespace stitch::driver {

// A plan by what was measured; nothing told of the layout: the faster one.
using PlannedBy = std::function<Result<plan::Plan>(const plan::MeasuredTimes&, std::optional<plan::Layout>)>;

// For `batches`, by what the job asks for. Valid as long as both.
PlannedBy planner_of(const Job& job, const plan::ProgramBatches& batches, MathMode math);

struct TunedPlan {
  plan::Plan plan;
  tuning::TuneResult result;
};

// Measures steps of one math mode on this machine's GPU. Without a GPU nothing is measured, and times from elsewhere
// are not used.
class Tuning {
 public:
  // Empty without a GPU or its compiler, or with --no-tune.
  static Result<std::optional<Tuning>> open(Job& job, const toolchain::Toolchain& tools, MathMode math);

  // Times settings of the plan's steps that have no time yet, and of those that the plan then takes, until none is
  // left that matters or the budget has ended. Where values may lie in either layout, both plans are timed whole.
  Result<TunedPlan> tune(const PlannedBy& planned_by);

 private:
  class Trials;
  Tuning(Job& job, const toolchain::Toolchain& tools, tuning::Context context, tuning::TuningDatabase database)
      : job_(&job), tools_(&tools), context_(std::move(context)), database_(std::move(database)) {}

  plan::MeasuredTimes times() const;
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
};

}  // namespace stitch::driver
