// SPDX-License-Identifier: Apache-2.0
// Metrics of steps as the curves of plots: a plot holds what is measured in one unit.
#pragma once

#include <cstdint>
#include <vector>

#include "report/training/step_lines.h"

namespace stitch::report {

// Stages one after the other on one axis of steps: a stage's steps come behind `offset` others.
struct CurveStage {
  std::vector<Json> steps{};
  double offset = 0;
};

struct CurveCounts {
  bool is_thinned = false;  // points are means over steps that follow each other
  size_t left_out = 0;      // curves beyond those that a plot can tell apart
};

// [{"id", "section", "title", "about", "unit", "curves": [{"name", "points": [[step, value], ...]}]}], plots without a
// number left out. `unit` is "share" (0 to 1), "number" or "log"; [step, null] stands between stages. A curve has at
// most `most_points` of a stage.
Json plots_of(const std::vector<CurveStage>& stages, size_t most_points, CurveCounts& counts);

}  // namespace stitch::report
