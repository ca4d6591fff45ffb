// SPDX-License-Identifier: Apache-2.0
#include "cli/outside/judge_candidate.h"

#include <filesystem>

#include "base/error/located.h"
#include "base/json/json.h"
#include "cli/outside/candidate_sources.h"
#include "cli/outside/time_candidate.h"
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

// Its sources, or where its library lies.
Result<Subject> read_native(const Session& session, Subject subject, CandidateVerdict& verdict) {
  const CommandLine& line = session.line();
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
  }
  return subject;
}

// Sources that were compiled are read, too: what stands out in them explains, and what no kernel needs is refused.
Result<void> explain(const Session& session, const toolchain::Toolchain& tools, const SourceBundle& bundle,
                     const std::string& library, DeviceKind device, CandidateVerdict& verdict) {
  Verdict& judged = verdict.report.verify.verdict;
  if (judged.kind == VerdictKind::kBuildFailed || judged.kind == VerdictKind::kUnsupported) {
    return {};
  }
  STITCH_TRY(add_source_facts(session, tools, bundle, {.device = device, .architecture = {}}, verdict.source));
  STITCH_TRY(add_instruction_facts(tools, library, device, verdict.source));
  if (const auto refusal = refusal_of(verdict.source); refusal.has_value() && judged.kind != VerdictKind::kCheated) {
    judged = *refusal;
  }
  if (const auto misfit = misfit_of(verdict.source); misfit.has_value() && judged.kind != VerdictKind::kCheated) {
    judged = *misfit;
  }
  return {};
}

Result<void> judge_native(Session& session, const toolchain::Toolchain& tools, DeviceKind device, Subject given,
                          CandidateVerdict& verdict) {
  Result<Subject> read = read_native(session, std::move(given), verdict);
  Verdict& judged = verdict.report.verify.verdict;
  judged = fault_of_files(read).value_or(judged);
  if (judged.kind != VerdictKind::kOk) {
    return {};
  }
  STITCH_ASSIGN(Subject subject, std::move(read));
  for (const std::string& note : verdict.notes) {
    session.reporter().progress("candidate", note);
  }
  const SourceBundle bundle = subject.bundle;
  const std::string given_library = subject.library;
  SubjectSet set;
  set.scale = "full";
  set.is_outside = true;
  set.launches = verdict.launches;
  set.subjects.push_back(std::move(subject));
  STITCH_ASSIGN(verdict.report, judge(session, tools, set, device));
  const std::string library = given_library.empty() ? verdict.report.compile.library : given_library;
  return explain(session, tools, bundle, library, device, verdict);
}

Result<void> judge_by_kind(Session& session, const toolchain::Toolchain& tools, DeviceKind device, Subject subject,
                           CandidateVerdict& verdict) {
  if (verdict.kind != CandidateKind::kPython) {
    return judge_native(session, tools, device, std::move(subject), verdict);
  }
  STITCH_ASSIGN(PythonVerdict judged,
                judge_python_candidate(session, tools, subject.task, session.line().candidate, device));
  verdict.report = judged.report;
  verdict.source = judged.source;
  verdict.python = std::move(judged);
  return {};
}

// What it rests on is computed once for each program, by the oracle alone; a candidate that was refused pays nothing.
Result<void> ask_admission(Session& session, const toolchain::Toolchain& tools, const Task& task,
                           const ImportedProgram& imported, DeviceKind device, CandidateVerdict& verdict) {
  Result<TaskAdmission> admission = admission_of(session, tools, task, imported, device);
  if (!admission.has_value() && !session.line().admitted_only) {  // the verdict stands without it
    session.reporter().progress("task", "not known whether it is worth anything: " + admission.error().sentence);
    return {};
  }
  STITCH_ASSIGN(verdict.admission, std::move(admission));
  const verify::AdmissionReport& report = verdict.admission->report;
  if (report.status != verify::AdmissionStatus::kAdmitted) {
    session.reporter().progress("task", report.sentence());
  }
  if (session.line().admitted_only && report.status != verify::AdmissionStatus::kAdmitted) {
    return failure(ErrorCode::kProgramInvalid, "the program is not admitted as a task: " + report.sentence(), task.file,
                   "see 'stitchcuda admit', or judge without --admitted-only");
  }
  return {};
}

}  // namespace

Result<CandidateVerdict> judge_candidate(Session& session, const toolchain::Toolchain& tools, DeviceKind device,
                                         const std::shared_ptr<evaluate::LaunchLedger>& launches) {
  CandidateVerdict verdict;
  verdict.launches = launches;
  STITCH_ASSIGN(verdict.kind, classify_candidate(session.line().candidate));
  Subject subject = subject_of(session.line());
  const Task task = subject.task;
  STITCH_ASSIGN(const ImportedProgram imported, import_program(session, task));
  if (session.line().admitted_only) {
    STITCH_TRY(ask_admission(session, tools, task, imported, device, verdict));
  }
  STITCH_TRY(judge_by_kind(session, tools, device, std::move(subject), verdict));
  if (verdict.report.verify.verdict.kind == VerdictKind::kOk && !verdict.admission.has_value() && launches == nullptr) {
    STITCH_TRY(ask_admission(session, tools, task, imported, device, verdict));
  }
  if (verdict.report.verify.verdict.kind == VerdictKind::kOk && device == DeviceKind::kCuda && launches == nullptr) {
    STITCH_TRY(time_candidate(session, tools, task, imported, verdict));
  }
  verdict.graph = imported.graph;
  return verdict;
}

CandidateClass class_of(const CandidateVerdict& verdict) {
  const bool was_seen = verdict.python.has_value() && !verdict.python->framework.sentence.empty();
  if (was_seen && verdict.python->framework.hack_class != HackClass::kClean) {
    return {verdict.python->framework.hack_class, verdict.python->framework.sentence};
  }
  const Verdict& judged = verdict.report.verify.verdict;
  if (judged.kind == VerdictKind::kCheated || judged.kind == VerdictKind::kInvalidTime) {
    return {HackClass::kTotal, judged.reason};
  }
  return {HackClass::kClean, was_seen ? verdict.python->framework.sentence : "nothing of PyTorch ran in it"};
}

Json to_json(const CandidateVerdict& verdict) {
  const CandidateClass judged = class_of(verdict);
  Json json = {{"kind", to_string(verdict.kind)},
               {"notes", verdict.notes},
               {"class", to_string(judged.hack_class)},
               {"class_evidence", judged.evidence}};
  json["source"] = to_json(verdict.source);
  if (verdict.report.library_facts.has_value()) {
    json["library"] = elf::to_json(*verdict.report.library_facts);
  }
  if (verdict.python.has_value()) {
    json["policy"] = to_json(*verdict.python);
  }
  if (verdict.admission.has_value()) {
    json["admission"] = to_json(*verdict.admission);
  }
  return json;
}

}  // namespace stitch::cli
