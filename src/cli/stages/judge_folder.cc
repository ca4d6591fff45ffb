// SPDX-License-Identifier: Apache-2.0
#include "cli/stages/judge_folder.h"

#include "cli/stages/step_subject.h"

namespace stitch::cli {

Result<evaluate::EvaluateReport> judge_folder(Session& session, const toolchain::Toolchain& tools, const Folder& folder,
                                              DeviceKind device,
                                              std::shared_ptr<evaluate::LaunchLedger> launches) {
  STITCH_ASSIGN(const ImportedProgram imported, import_program(session, folder.task));
  STITCH_ASSIGN(const EmittedProgram program, emit_again(session, folder.plan));
  if (session.line().step.has_value()) {
    STITCH_ASSIGN(const SubjectSet first,
                  make_first_subject(session, folder.task, imported, program, folder.sources, device));
    return judge_step(session, tools, first, *session.line().step, device);
  }
  STITCH_ASSIGN(SubjectSet set, make_subjects(session, folder.task, imported, program, folder.sources, device));
  set.launches = std::move(launches);
  return judge(session, tools, set, device);
}

}  // namespace stitch::cli
