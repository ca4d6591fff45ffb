// SPDX-License-Identifier: Apache-2.0
// The batch as a run-time argument: which axes of a program's inputs it is, and whether a plan can take it so.
#pragma once

#include <vector>

#include "artifact/task/input_shapes.h"
#include "driver/import/import_program.h"
#include "plan/batch/program_batches.h"
#include "plan/plan.h"

namespace stitch::driver {

// An axis of a tensor input whose extent is base + per_batch * batch.
struct BatchAxis {
  int input = 0;
  int axis = 0;
  int64_t base = 0;
  int64_t per_batch = 1;
};

struct BatchAxes {
  std::vector<BatchAxis> axes;  // empty: `reason` says why
  int64_t planned = 0;          // a batch to plan for where the declared one is 1
  int64_t minimum = 1;
  int64_t maximum = 0;
  std::string reason;
};

// Asks the importer, which exports the program with free sizes.
Result<BatchAxes> find_batch_axes(Job& job, const Task& task);
// The batch axes of a plan whose batch is a run-time argument.
BatchAxes batch_axes_of(const plan::Plan& plan);

InputShapes input_shapes(const ir::Graph& graph);
InputShapes at_batch(InputShapes shapes, const BatchAxes& axes, int64_t batch);
// The batch that input shapes show; nothing where they agree on none.
std::optional<int64_t> batch_in(const InputShapes& shapes, const BatchAxes& axes);

// The program with what a planner needs to make its batch an argument, or why that cannot be. Imports it at up to three
// other batches. `imported` is the graph at the sizes of `task`.
Result<plan::ProgramBatches> import_batches(Job& job, const Task& task, const BatchAxes& axes,
                                            const ir::Graph& imported);

// Makes the batch an argument of `plan`, which was made from `imported` at the sizes of `task`, or notes in it why that
// cannot be.
Result<void> give_batch(Job& job, const Task& task, const BatchAxes& axes, const ir::Graph& imported, plan::Plan& plan);

// "batch 1 to 2097151 on one binary", or "batch fixed at 16: ..."
std::string describe_batch(const plan::Plan& plan);

}  // namespace stitch::driver
