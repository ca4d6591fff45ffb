// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/admit.h"

#include "driver/build/compile_program.h"
#include "driver/judge/judge.h"

namespace stitch::driver {

Result<AdmitReport> admit(const AdmitRequest& request, const Services& services) {
  Job job(request.options, services);
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(job));
  STITCH_ASSIGN(const DeviceKind device, choose_device(job, tools));
  Task task = request.task;
  if (request.options.scale == ScaleChoice::kSmall) {
    STITCH_ASSIGN(SmallSizes small, small_sizes(job, task));
    task.sizes = std::move(small.sizes);
  }
  STITCH_ASSIGN(const ImportedProgram imported, import_program(job, task));
  STITCH_ASSIGN(TaskAdmission admission, admission_of(job, tools, task, imported, device, request.seed));
  return AdmitReport{task.sizes, std::move(admission)};
}

}  // namespace stitch::driver
