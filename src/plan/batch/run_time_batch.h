// SPDX-License-Identifier: Apache-2.0
// Makes the batch a run-time argument of a finished plan, where the program allows it.
//
// Steps hold no sizes: what a batch changes are extents, scratch memory and buffers. The program is imported at other
// batches too; where it is the same graph but for integers that lie on a line, every step's code is decided again at
// many batches, with the settings of the plan. The same code each time, and extents and bytes on a line each time, make
// the batch a run-time argument over the range that was tried. Anything else leaves it fixed, with the reason.
#pragma once

#include <vector>

#include "plan/plan.h"

namespace stitch::plan {

struct BatchVariant {
  int64_t batch = 0;
  ir::Graph graph;  // as imported
};

struct BatchRange {
  int64_t declared = 0;
  int64_t planned = 0;  // of the plan's graph: the declared one, or a larger one where that is 1
  int64_t minimum = 1;  // what the program itself takes
  int64_t maximum = 0;
};

// Sets plan.batch, or plan.batch_note. The first of `others` says how numbers follow the batch, the rest are checked
// against it, and one at least must agree: through two points there is always a line. One at batch 1 may differ (a
// model may treat it apart), and then the range begins at 2.
void add_run_time_batch(Plan& plan, const BatchRange& range, const std::vector<BatchVariant>& others);

// The same for a plan that was cut anew from the graph of another, at the batches that held for that one.
void carry_run_time_batch(Plan& plan, RunTimeBatch batch);

// Fills in what follows from plan.batch as it was read: slopes of extents and scratch. Fails where the plan does not
// hold over its range.
Result<void> refit_batch(Plan& plan);

// A number of the plan's graph, given at the planned and at the other batch, as base + per_batch * batch.
struct BatchLine {
  int64_t base = 0;
  int64_t per_batch = 0;
};
BatchLine batch_line(const RunTimeBatch& batch, int64_t at_planned, int64_t at_other);

}  // namespace stitch::plan
