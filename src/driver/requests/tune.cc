// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/tune.h"

#include "driver/build/compile_program.h"
#include "driver/import/batch.h"
#include "driver/time/tuning.h"
#include "plan/batch/any_batch.h"

namespace stitch::driver {

Result<TuneReport> tune(const TuneRequest& request, const Services& services) {
  Job job(request.options, services);
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(job));
  STITCH_ASSIGN(std::optional<Tuning> tuning, Tuning::open(job, tools, request.task.math));
  if (!tuning.has_value()) {
    return failure(ErrorCode::kEnvironment, "settings are measured on a GPU, and this machine lacks one or nvcc", "",
                   "run 'stitchcuda doctor', or plan by estimate");
  }
  STITCH_ASSIGN(const ImportedProgram imported, import_program(job, request.task));
  // Planned as optimize plans it, at the same batch: its steps are then known by the same signatures.
  STITCH_ASSIGN(const BatchAxes axes, find_batch_axes(job, request.task));
  STITCH_ASSIGN(const plan::ProgramBatches batches, import_batches(job, request.task, axes, imported.graph));
  STITCH_ASSIGN(TunedPlan tuned, tuning->tune(planner_of(job, batches, request.task.math)));
  return TuneReport{tuned.result, std::move(tuned.plan), std::move(tuned.compared), std::move(tuned.last_look)};
}

}  // namespace stitch::driver
