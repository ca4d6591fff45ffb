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

Result<void> build_all(std::span<const Trial> trials, const TuneOptions& options) {
  if (!options.build) {
    return {};
  }
  return for_each_parallel(trials.size(), options.jobs, [&](size_t index) { return options.build(trials[index]); });
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
  const double begin = options.clock();
  const auto is_within = [&](double budgets) { return options.clock() - begin < budgets * options.budget_seconds; };
  const int total = static_cast<int>(unknown.size());
  const size_t group = group_size(options);
  for (size_t first = 0; first < unknown.size() && is_within(1); first += group) {
    const auto built = std::span(unknown).subspan(first, std::min(group, unknown.size() - first));
    STITCH_TRY(build_all(built, options));
    for (size_t i = 0; i < built.size() && is_within(2); ++i) {
      STITCH_ASSIGN(const std::optional<Measurement> measurement, options.measure(built[i]));
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
