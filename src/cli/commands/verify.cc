// SPDX-License-Identifier: Apache-2.0
// Judges what is in a folder now: a program of ours (perhaps with a step edited by hand), or a candidate from
// elsewhere.
#include <fmt/format.h>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/stages/folder.h"
#include "cli/stages/judge.h"
#include "cli/stages/step_subject.h"
#include "plan/plan.h"

namespace stitch::cli {
namespace {

namespace fs = std::filesystem;

Result<evaluate::EvaluateReport> verify_folder(Session& session, const toolchain::Toolchain& tools, DeviceKind device) {
  STITCH_ASSIGN(Folder folder, read_folder(session.line().file));
  STITCH_ASSIGN(const ImportedProgram imported, import_program(session, folder.task));
  STITCH_ASSIGN(const EmittedProgram program, emit_again(session, folder.plan));
  if (session.line().step.has_value()) {
    STITCH_ASSIGN(const SubjectSet first,
                  make_first_subject(session, folder.task, imported, program, folder.sources, device));
    return judge_step(session, tools, first, *session.line().step, device);
  }
  STITCH_ASSIGN(const SubjectSet set, make_subjects(session, folder.task, imported, program, folder.sources, device));
  return judge(session, tools, set, device);
}

// A candidate has its sizes compiled in as far as we know: it is judged at the declared ones only.
Result<evaluate::EvaluateReport> verify_candidate(Session& session, const toolchain::Toolchain& tools,
                                                  DeviceKind device) {
  const CommandLine& line = session.line();
  Subject subject;
  subject.shape = "declared shapes";
  std::error_code ignored;
  subject.task.file = fs::absolute(line.program, ignored).lexically_normal().string();
  subject.task.target = line.target;
  subject.task.mode = line.mode;
  subject.task.math = line.math;
  STITCH_ASSIGN(subject.bundle, read_bundle(line.candidate));
  STITCH_ASSIGN(const ImportedProgram imported, import_program(session, subject.task));
  SubjectSet set;
  set.scale = "full";
  set.subjects.push_back(std::move(subject));
  return judge(session, tools, set, device);
}

}  // namespace

Result<int> run_verify(Session& session) {
  const CommandLine& line = session.line();
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(session));
  STITCH_ASSIGN(const DeviceKind device, choose_device(session, tools));
  STITCH_ASSIGN(const evaluate::EvaluateReport report, line.candidate.empty()
                                                           ? verify_folder(session, tools, device)
                                                           : verify_candidate(session, tools, device));
  Json json = {{"schema", "stitchcuda.verify/1"},
               {"task", task_name(line.candidate.empty() ? line.file : line.program)},
               {"device", to_string(device)},
               {"verdict", to_json(report.verify.verdict)},
               {"error_ratio", report.verify.error_ratio},
               {"report", evaluate::to_json(report.verify)}};
  session.reporter().result(json, verdict_text(report.verify));
  return report.verify.verdict.kind == VerdictKind::kOk ? 0 : 1;
}

}  // namespace stitch::cli
