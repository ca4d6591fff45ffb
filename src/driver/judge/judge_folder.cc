// SPDX-License-Identifier: Apache-2.0
#include "driver/judge/judge_folder.h"

#include "driver/judge/step_subject.h"

namespace stitch::driver {

Result<evaluate::EvaluateReport> judge_folder(Job& job, const toolchain::Toolchain& tools, const Folder& folder,
                                              DeviceKind device, std::optional<int> step,
                                              std::shared_ptr<evaluate::LaunchLedger> launches) {
  STITCH_ASSIGN(const ImportedProgram imported, import_program(job, folder.task));
  STITCH_ASSIGN(const EmittedProgram program, emit_again(job, folder.plan));
  if (step.has_value()) {
    STITCH_ASSIGN(const SubjectSet first,
                  make_first_subject(job, folder.task, imported, program, folder.sources, device));
    STITCH_ASSIGN(auto alone, judge_step(job, tools, first, *step, device));
    if (const auto* refused = std::get_if<NotAlone>(&alone); refused != nullptr) {
      return failure(refused->why);
    }
    return std::get<evaluate::EvaluateReport>(std::move(alone));
  }
  STITCH_ASSIGN(SubjectSet set, make_subjects(job, folder.task, imported, program, folder.sources, device));
  set.launches = std::move(launches);
  return judge(job, tools, set, device);
}

}  // namespace stitch::driver
