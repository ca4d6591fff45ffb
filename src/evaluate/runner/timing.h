// SPDX-License-Identifier: Apache-2.0
// How long a call takes, by the keeper's clock: blocks of calls, long enough that a round trip to the worker is small
// beside them. The L2 cache is filled with other data before each call; the same block without calls is timed too and
// subtracted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluate/candidate.h"
#include "evaluate/timing/statistics.h"

namespace stitch::evaluate {

struct TimingOptions {
  double block_us = 20000;  // at least
  int blocks = 15;
  int buffer_sets = 2;  // calls turn through so many sets of inputs and outputs
  bool cold_l2 = true;
  bool graph = false;  // launch a captured graph instead of calling run()
};

struct Timing {
  std::vector<double> samples_us;  // per call, one for each block
  double median_us = 0;
  double spread = 0;  // median distance from the median, as a part of it
  int calls_per_block = 0;
};

struct TimingOutcome {
  Ending ending = Ending::kOk;
  std::string sentence;
  Timing timing;
};

// Median and spread of the samples.
Timing summarise(std::vector<double> samples_us, int calls_per_block);

}  // namespace stitch::evaluate
