// SPDX-License-Identifier: Apache-2.0
#include "cli/outside/judge_candidate.h"

#include <filesystem>

#include "base/error/located.h"
#include "base/json/json.h"
#include "cli/outside/candidate_sources.h"
#include "cli/stages/judge.h"

namespace stitch::cli {
namespace {

namespace fs = std::filesystem;

Subject subject_of(const CommandLine& line) {
  Subject subject;
  std::error_code ignored;
  subject.shape = "declared shapes";
  subject.task.file = fs::absolute(line.program, ignored).lexically_normal().string();
  subject.task.target = line.target;
  subject.task.mode = line.mode;
  subject.task.math = line.math;
  return subject;
}

Result<void> judge_native(Session& session, const toolchain::Toolchain& tools, DeviceKind device,
                          CandidateVerdict& verdict) {
  const CommandLine& line = session.line();
  Subject subject = subject_of(line);
  if (verdict.kind == CandidateKind::kSources) {
    STITCH_ASSIGN(CandidateSources sources, read_candidate_sources(line.candidate, session.resources().runtime()));
    subject.bundle = std::move(sources.bundle);
    verdict.notes = std::move(sources.notes);
  } else if (verdict.kind == CandidateKind::kBundle) {
    STITCH_ASSIGN(subject.bundle, read_bundle(line.candidate));
  } else {
    subject.library = line.candidate;
  }
  if (const auto outside = outside_file(subject.bundle)) {
    verdict.report.verify.verdict = {VerdictKind::kBuildFailed, *outside, {}};
    return {};
  }
  for (const std::string& note : verdict.notes) {
    session.reporter().progress("candidate", note);
  }
  STITCH_ASSIGN(const ImportedProgram imported, import_program(session, subject.task));
  SubjectSet set;
  set.scale = "full";
  set.is_outside = true;
  set.subjects.push_back(std::move(subject));
  STITCH_ASSIGN(verdict.report, judge(session, tools, set, device));
  return {};
}

}  // namespace

Result<CandidateVerdict> judge_candidate(Session& session, const toolchain::Toolchain& tools, DeviceKind device) {
  CandidateVerdict verdict;
  STITCH_ASSIGN(verdict.kind, classify_candidate(session.line().candidate));
  if (verdict.kind == CandidateKind::kPython) {
    const Task task = subject_of(session.line()).task;
    STITCH_TRY(import_program(session, task));
    STITCH_ASSIGN(PythonVerdict judged, judge_python_candidate(session, tools, task, session.line().candidate, device));
    verdict.report = judged.report;
    verdict.python = std::move(judged);
    return verdict;
  }
  STITCH_TRY(judge_native(session, tools, device, verdict));
  return verdict;
}

Json to_json(const CandidateVerdict& verdict) {
  Json json = {{"kind", to_string(verdict.kind)}, {"notes", verdict.notes}};
  if (verdict.report.library_facts.has_value()) {
    json["library"] = elf::to_json(*verdict.report.library_facts);
  }
  if (verdict.python.has_value()) {
    json["policy"] = to_json(*verdict.python);
  }
  return json;
}

}  // namespace stitch::cli
