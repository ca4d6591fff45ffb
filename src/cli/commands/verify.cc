// SPDX-License-Identifier: Apache-2.0
// Judges what is in a folder now: a program of ours (perhaps with a step edited by hand), or a candidate from
// elsewhere.
#include <fmt/format.h>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/outside/judge_candidate.h"
#include "cli/stages/folder.h"
#include "cli/stages/judge.h"
#include "cli/stages/step_subject.h"
#include "plan/plan.h"

namespace stitch::cli {
namespace {

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

}  // namespace

Result<int> run_verify(Session& session) {
  const CommandLine& line = session.line();
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(session));
  STITCH_ASSIGN(const DeviceKind device, choose_device(session, tools));
  CandidateVerdict candidate;
  if (line.candidate.empty()) {
    STITCH_ASSIGN(candidate.report, verify_folder(session, tools, device));
  } else {
    STITCH_ASSIGN(candidate, judge_candidate(session, tools, device));
  }
  const evaluate::EvaluateReport& report = candidate.report;
  Json json = {{"schema", "stitchcuda.verify/1"},
               {"task", task_name(line.candidate.empty() ? line.file : line.program)},
               {"device", to_string(device)},
               {"verdict", to_json(report.verify.verdict)},
               {"error_ratio", report.verify.error_ratio},
               {"report", evaluate::to_json(report.verify)}};
  if (!line.candidate.empty()) {
    json["candidate"] = to_json(candidate);
  }
  session.reporter().result(json, verdict_text(report.verify));
  return report.verify.verdict.kind == VerdictKind::kOk ? 0 : 1;
}

}  // namespace stitch::cli
