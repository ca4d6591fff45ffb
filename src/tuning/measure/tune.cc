// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/tune.h"

#include <algorithm>
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
  bool may_measure() const {
    return options_.clock() - begin_ < 2 * options_.budget_seconds || measuring_ < options_.budget_seconds;
  }
  Result<std::optional<Measurement>> measure(const Trial& trial) {
    const double asked = options_.clock();
    Result<std::optional<Measurement>> measurement = options_.measure(trial);
    measuring_ += options_.clock() - asked;
    return measurement;
  }

 private:
  const TuneOptions& options_;
  double begin_;
  double measuring_ = 0;  // seconds
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
  for (size_t first = 0; first < unknown.size() && budget.may_build(); first += group) {
    const auto next = std::span(unknown).subspan(first, std::min(group, unknown.size() - first));
    STITCH_ASSIGN(const std::vector<Trial> built, build_all(next, budget, options));
    for (size_t i = 0; i < built.size() && budget.may_measure(); ++i) {
      STITCH_ASSIGN(const std::optional<Measurement> measurement, budget.measure(built[i]));
      if (!measurement.has_value()) {
        continue;
      }
      STITCH_TRY(keep(built[i], *measurement, context, database, options));
      ++result.measured;
      if (options.progress) {
        options.progress(built[i], *measurement, result.measured, total);
      }
    }
  }
  result.left = total - result.measured;
  return result;
}

}  // namespace stitch::tuning
