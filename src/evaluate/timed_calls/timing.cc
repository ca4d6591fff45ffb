// SPDX-License-Identifier: Apache-2.0
#include "evaluate/timed_calls/timing.h"

#include <algorithm>
#include <cmath>

namespace stitch::evaluate {

Timing summarise(std::vector<double> samples_us, int calls_per_block) {
  Timing timing;
  timing.median_us = median(samples_us);
  std::vector<double> distances;
  for (const double sample : samples_us) {
    distances.push_back(std::abs(sample - timing.median_us));
  }
  timing.spread = timing.median_us > 0 ? median(distances) / timing.median_us : 0;
  timing.samples_us = std::move(samples_us);
  timing.calls_per_block = calls_per_block;
  return timing;
}

}  // namespace stitch::evaluate
