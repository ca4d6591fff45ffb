// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/tune.h"

#include <algorithm>
#include <mutex>
#include <span>
#include <thread>

#include "base/parallel/for_each_parallel.h"

namespace stitch::tuning {
namespace {

// Trials that are built together before they are timed one by one.
size_t group_size(const TuneOptions& options) {
  return options.jobs > 0 ? static_cast<size_t>(options.jobs) : std::max(1u, std::thread::hardware_concurrency());
}

// Of a budget that begins with it.
class Budget {
 public:
  explicit Budget(const TuneOptions& options) : options_(options), begin_(options.clock()) {}

  bool may_build() const { return options_.clock() - begin_ < options_.budget_seconds; }
  void begin_measuring() { begin_measuring_ = options_.clock(); }
  void end_measuring() { measured_ += options_.clock() - begin_measuring_; }
  // Between the two.
  bool may_measure() const {
    const double now = options_.clock();
    return now - begin_ < 2 * options_.budget_seconds || measured_ + now - begin_measuring_ < options_.budget_seconds;
  }

 private:
  const TuneOptions& options_;
  double begin_;
  double begin_measuring_ = 0;
  double measured_ = 0;  // seconds
};

// Those that were built: all but the ones whose turn came when the budget had ended.
Result<std::vector<Trial>> build_all(std::span<const Trial> trials, const Budget& budget, const TuneOptions& options) {
  if (!options.build) {
    return std::vector<Trial>(trials.begin(), trials.end());
  }
  std::vector<char> is_built(trials.size(), 0);
  STITCH_TRY(for_each_parallel(trials.size(), options.jobs, [&](size_t index) -> Result<void> {
    if (!budget.may_build()) {
      return {};
    }
    is_built[index] = 1;
    return options.build(trials[index]);
  }));
  std::vector<Trial> built;
  for (size_t i = 0; i < trials.size(); ++i) {
    if (is_built[i] != 0) {
      built.push_back(trials[i]);
    }
  }
  return built;
}

Result<void> keep(const Trial& trial, const Measurement& measurement, const Context& context, TuningDatabase& database,
                  const TuneOptions& options) {
  if (options.record) {
    STITCH_ASSIGN(const StepRecord record, options.record(trial));
    STITCH_TRY(database.describe(trial.signature, record));
  }
  return database.store(context, trial.signature, trial.setting, measurement);
}

// Times what was built, while the budget lasts.
Result<void> measure_all(const std::vector<Trial>& built, Budget& budget, const TuneOptions& options,
                         const std::function<Result<void>(const Trial&, const Measurement&)>& keep_one) {
  std::mutex mutex;
  budget.begin_measuring();
  STITCH_TRY(for_each_parallel(built.size(), options.measuring_jobs, [&](size_t index) -> Result<void> {
    {
      const std::lock_guard lock(mutex);
      if (!budget.may_measure()) {
        return {};
      }
    }
    STITCH_ASSIGN(const std::optional<Measurement> measurement, options.measure(built[index]));
    const std::lock_guard lock(mutex);
    return measurement.has_value() ? keep_one(built[index], *measurement) : Result<void>{};
  }));
  budget.end_measuring();
  return {};
}

}  // namespace

Result<TuneResult> tune(const std::vector<Trial>& trials, const Context& context, TuningDatabase& database,
                        const TuneOptions& options) {
  TuneResult result;
  std::vector<Trial> unknown;
  for (const Trial& trial : trials) {
    STITCH_ASSIGN(const auto known, database.find(context, trial.signature, trial.setting));
    if (known.has_value()) {
      ++result.known;
    } else {
      unknown.push_back(trial);
    }
  }
  Budget budget(options);
  const int total = static_cast<int>(unknown.size());
  const size_t group = group_size(options);
  const auto keep_one = [&](const Trial& trial, const Measurement& measurement) -> Result<void> {
    STITCH_TRY(keep(trial, measurement, context, database, options));
    ++result.measured;
    if (options.progress) {
      options.progress(trial, measurement, result.measured, total);
    }
    return {};
  };
  for (size_t first = 0; first < unknown.size() && budget.may_build(); first += group) {
    const auto next = std::span(unknown).subspan(first, std::min(group, unknown.size() - first));
    STITCH_ASSIGN(const std::vector<Trial> built, build_all(next, budget, options));
    STITCH_TRY(measure_all(built, budget, options, keep_one));
  }
  result.left = total - result.measured;
  return result;
}

}  // namespace stitch::tuning
