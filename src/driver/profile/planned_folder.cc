// SPDX-License-Identifier: Apache-2.0
#include "driver/profile/planned_folder.h"

#include "driver/build/compile_program.h"
#include "driver/import/batch.h"
#include "driver/time/shipped.h"

namespace stitch::driver {

Result<Folder> planned_folder(Job& job, const Task& task) {
  STITCH_ASSIGN(const ImportedProgram imported, import_program(job, task));
  STITCH_ASSIGN(const BatchAxes axes, find_batch_axes(job, task));
  STITCH_ASSIGN(const plan::ProgramBatches batches, import_batches(job, task, axes, imported.graph));
  STITCH_ASSIGN(UntunedPlan untuned, plan_untuned(job, task.math, planner_of(job, batches, task.math)));
  STITCH_ASSIGN(EmittedProgram program, emit_again(job, std::move(untuned.plan)));
  return Folder{task, std::move(program.plan), std::move(program.bundle)};
}

}  // namespace stitch::driver
