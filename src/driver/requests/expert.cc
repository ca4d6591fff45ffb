// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/expert.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "driver/import/batch.h"
#include "driver/project/project.h"
#include "driver/project/python_forms.h"
#include "driver/time/tuning.h"
#include "plan/batch/any_batch.h"

namespace stitch::driver {

Result<ExpertReport> expert_program(const ExpertRequest& request, const Services& services) {
  Job job(request.options, services);
  STITCH_TRY(check_output_folder(request.out));
  ExpertReport report;
  report.out = request.out;
  STITCH_ASSIGN(report.imported, import_program(job, request.task));
  STITCH_ASSIGN(const BatchAxes axes, find_batch_axes(job, request.task));
  STITCH_ASSIGN(const plan::ProgramBatches batches, import_batches(job, request.task, axes, report.imported.graph));
  STITCH_ASSIGN(plan::Plan made, planner_of(job, batches, request.task.math)({}, {}));
  job.progress().fact("plan", fmt::format("{} steps from {} operators", made.steps.size(), report.imported.operators));
  STITCH_ASSIGN(report.program, emit_again(job, std::move(made)));
  std::map<std::string, std::string> files;
  files["graph.ir"] = plan::print(batches);
  files["plan.json"] = plan::to_json(report.program.plan).dump(1) + "\n";
  files["task.json"] = to_json(request.task).dump(1) + "\n";
  STITCH_ASSIGN(PythonForms forms, python_forms(job, request.task, report.program.bundle));
  report.missing_forms = forms.missing;
  files.merge(forms.files);
  STITCH_TRY(install_project(report.program.bundle, files, report.out));
  job.progress().installed();
  return report;
}

}  // namespace stitch::driver
