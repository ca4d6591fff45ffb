// SPDX-License-Identifier: Apache-2.0
// Measures the settings of a plan's steps that the database does not have yet, for as long as the budget lasts.
#pragma once

#include <functional>
#include <optional>

#include "tuning/choice/worth_timing.h"
#include "tuning/database/database.h"

namespace stitch::tuning {

struct TuneOptions {
  // No trial is begun to be built after it. What is built is measured as long as twice the budget lasts, and at least
  // for as long as the budget itself: one that building uses up would else choose by guesses.
  double budget_seconds = 60;
  int jobs = 0;                                       // trials built at a time; 0: one for each core
  std::function<double()> clock;                      // seconds of work: waiting for others on this GPU is none
  std::function<Result<void>(const Trial&)> build{};  // ahead of `measure`, from several threads
  // With nothing being built: compilers at work disturb the clock. Nothing where the times are too unsteady to be kept.
  std::function<Result<std::optional<Measurement>>(const Trial&)> measure;
  int measuring_jobs = 1;  // calls of `measure` at a time, from several threads: what is timed alone is its own affair
  std::function<Result<StepRecord>(const Trial&)> record{};  // kept with the times; none: nothing is
  std::function<void(const Trial&, const Measurement&, int done, int total)> progress{};
};

struct TuneResult {
  int known = 0;     // before
  int measured = 0;  // now
  int left = 0;      // the budget ended before them, or their times were unsteady
};

Result<TuneResult> tune(const std::vector<Trial>& trials, const Context& context, TuningDatabase& database,
                        const TuneOptions& options);

}  // namespace stitch::tuning
