// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/tune.h"

#include <mutex>

#include "base/parallel/for_each_parallel.h"

namespace stitch::tuning {

Result<TuneResult> tune(const std::vector<Trial>& trials, const Context& context, TuningDatabase& database,
                        const TuneOptions& options) {
  TuneResult result;
  std::vector<const Trial*> unknown;
  for (const Trial& trial : trials) {
    STITCH_ASSIGN(const auto known, database.find(context, trial.signature, trial.setting));
    if (known.has_value()) {
      ++result.known;
    } else {
      unknown.push_back(&trial);
    }
  }
  const double end = options.clock() + options.budget_seconds;
  const int total = static_cast<int>(unknown.size());
  std::mutex mutex;
  const auto try_one = [&](size_t index) -> Result<void> {
    if (options.clock() > end) {
      return {};
    }
    const Trial& trial = *unknown[index];
    STITCH_ASSIGN(const Measurement measurement, options.measure(trial));
    const std::lock_guard lock(mutex);
    STITCH_TRY(database.store(context, trial.signature, trial.setting, measurement));
    ++result.measured;
    if (options.progress) {
      options.progress(trial, measurement, result.measured, total);
    }
    return {};
  };
  STITCH_TRY(for_each_parallel(unknown.size(), options.jobs, try_one));
  result.left = total - result.measured;
  return result;
}

}  // namespace stitch::tuning
