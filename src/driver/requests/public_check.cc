// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/public_check.h"

#include "driver/judge/folder.h"
#include "driver/judge/judge.h"

namespace stitch::driver {

Result<PublicCheckReport> public_check(const PublicCheckRequest& request, const Services& services) {
  Options options = request.options;
  options.seed = kPublicSeed;
  Job job(std::move(options), services);
  PublicCheckReport report;
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(job));
  STITCH_ASSIGN(report.device, choose_device(job, tools));
  STITCH_ASSIGN(const Folder folder, read_folder(request.folder));
  STITCH_ASSIGN(const ImportedProgram imported, import_program(job, folder.task));
  STITCH_ASSIGN(const EmittedProgram program, emit_again(job, folder.plan));
  const auto subjects_for = [&](DeviceKind device) {
    return make_first_subject(job, folder.task, imported, program, folder.sources, device);
  };
  STITCH_ASSIGN(const SubjectSet set, subjects_for(report.device));
  std::optional<SubjectSet> checked;
  if (report.device == DeviceKind::kCuda) {
    STITCH_ASSIGN(checked, subjects_for(DeviceKind::kChecked));
  }
  STITCH_ASSIGN(report.check, check_publicly(job, tools,
                                             {set.subjects.front(), report.device, request.step,
                                              checked.has_value() ? &checked->subjects.front() : nullptr}));
  return report;
}

}  // namespace stitch::driver
