// SPDX-License-Identifier: Apache-2.0
#include "driver/outside/judge_candidate.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error/located.h"
#include "base/json/json.h"
#include "driver/judge/judge.h"
#include "driver/outside/time_candidate.h"
#include "evaluate/inspect/device_reset.h"
#include "toolchain/candidate/candidate_sources.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;
using toolchain::CandidateKind;
using toolchain::CandidateSources;
using toolchain::classify_candidate;
using toolchain::read_candidate_sources;

Subject subject_of(const Task& task) {
  Subject subject;
  subject.shape = "declared shapes";
  subject.task = task;
  return subject;
}

// Its sources, or where its library lies.
Result<Subject> read_native(const Job& job, const std::string& candidate, Subject subject, CandidateVerdict& verdict) {
  if (verdict.kind == CandidateKind::kSources) {
    STITCH_ASSIGN(CandidateSources sources, read_candidate_sources(candidate, job.resources().runtime()));
    subject.bundle = std::move(sources.bundle);
    verdict.notes = std::move(sources.notes);
  } else if (verdict.kind == CandidateKind::kBundle) {
    STITCH_ASSIGN(subject.bundle, read_bundle(candidate));
  } else {
    subject.library = candidate;
  }
  if (const auto outside = toolchain::outside_file(subject.bundle)) {
    verdict.report.verify.findings.add({Stage::kRead, VerdictKind::kBuildFailed, *outside});
  }
  return subject;
}

// Sources that were compiled are read, too: what stands out in them explains, and what no kernel needs is refused.
Result<void> explain(const Job& job, const toolchain::Toolchain& tools, const SourceBundle& bundle,
                     const std::string& library, DeviceKind device, CandidateVerdict& verdict) {
  const VerdictKind kind = verdict.report.verify.verdict().kind;
  if (kind == VerdictKind::kBuildFailed || kind == VerdictKind::kUnsupported) {
    return {};
  }
  STITCH_TRY(add_source_facts(job, tools, bundle, {.device = device, .architecture = {}}, verdict.source));
  STITCH_TRY(add_instruction_facts(tools, library, device, verdict.source));
  verdict.report.verify.findings.add(refusal_of(verdict.source));
  verdict.report.verify.findings.add(misfit_of(verdict.source));
  return {};
}

Result<void> judge_native(Job& job, const toolchain::Toolchain& tools, DeviceKind device, const CandidateRequest& asked,
                          CandidateVerdict& verdict) {
  Result<Subject> read = read_native(job, asked.candidate, subject_of(asked.task), verdict);
  verdict.report.verify.findings.add(toolchain::fault_of_files(read));
  if (!verdict.report.verify.findings.is_clean()) {
    return {};
  }
  STITCH_ASSIGN(Subject subject, std::move(read));
  for (const std::string& note : verdict.notes) {
    job.progress().fact("candidate", note);
  }
  const SourceBundle bundle = subject.bundle;
  const std::string given_library = subject.library;
  SubjectSet set;
  set.scale = "full";
  set.is_outside = true;
  set.launches = verdict.launches;
  set.subjects.push_back(std::move(subject));
  STITCH_ASSIGN(verdict.report, judge(job, tools, set, device));
  const std::string library = given_library.empty() ? verdict.report.compile.library : given_library;
  return explain(job, tools, bundle, library, device, verdict);
}

Result<void> judge_by_kind(Job& job, const toolchain::Toolchain& tools, DeviceKind device,
                           const CandidateRequest& request, CandidateVerdict& verdict) {
  if (verdict.kind != CandidateKind::kPython) {
    return judge_native(job, tools, device, request, verdict);
  }
  STITCH_ASSIGN(PythonVerdict judged, judge_python_candidate(job, tools, request.task, request.candidate, device));
  verdict.report = judged.report;
  verdict.source = judged.source;
  verdict.python = std::move(judged);
  return {};
}

// What it rests on is computed once for each program, by the oracle alone; a candidate that was refused pays nothing.
Result<void> ask_admission(Job& job, const toolchain::Toolchain& tools, const CandidateRequest& request,
                           const ImportedProgram& imported, DeviceKind device, CandidateVerdict& verdict) {
  Result<TaskAdmission> admission = admission_of(job, tools, request.task, imported, device);
  if (!admission.has_value() && !request.admitted_only) {  // the verdict stands without it
    job.progress().fact("task", "not known whether it is worth anything: " + admission.error().message);
    return {};
  }
  STITCH_ASSIGN(verdict.admission, std::move(admission));
  const verify::AdmissionReport& report = verdict.admission->report;
  if (report.status != verify::AdmissionStatus::kAdmitted) {
    job.progress().fact("task", report.message());
  }
  if (request.admitted_only && report.status != verify::AdmissionStatus::kAdmitted) {
    return failure(ErrorCode::kProgramInvalid, "the program is not admitted as a task: " + report.message(),
                   request.task.file, "see 'stitchcuda admit', or judge without --admitted-only");
  }
  return {};
}

// A module takes the sizes that its program is made with, as a rule; sources have theirs in their text.
Result<Task> task_at_scale(Job& job, const CandidateRequest& request, CandidateVerdict& verdict) {
  Task task = request.task;
  if (job.options().scale != ScaleChoice::kSmall || !task.sizes.are_own()) {
    return task;
  }
  if (verdict.kind != CandidateKind::kPython) {
    return failure(ErrorCode::kUsage, "a candidate in CUDA has its sizes in its text and cannot be judged at others",
                   request.candidate, "verify it with --scale full");
  }
  STITCH_ASSIGN(const SmallSizes small, small_sizes(job, task));
  if (small.sizes.are_own()) {
    return task;
  }
  task.sizes = small.sizes;
  verdict.reduced = describe(task.sizes);
  return task;
}

// Told before somebody waits for long: there a thread of a kernel is a piece of a processor's time.
void tell_of_large_sizes(Job& job, const ImportedProgram& imported, DeviceKind device, CandidateKind kind) {
  constexpr int64_t kManyElements = int64_t{1} << 22;
  int64_t elements = 0;
  for (const ir::GraphOutput& output : imported.graph.outputs) {
    elements += imported.graph.type(output.value).element_count();
  }
  if (device != DeviceKind::kCuda && kind == CandidateKind::kPython && elements > kManyElements) {
    job.progress().fact("candidate",
                        fmt::format("{} million elements are much for the emulated device: a ModelNew that "
                                    "takes any sizes is judged sooner with --scale small",
                                    elements >> 20));
  }
}

}  // namespace

Result<CandidateVerdict> judge_candidate(Job& job, const toolchain::Toolchain& tools, DeviceKind device,
                                         const CandidateRequest& asked) {
  CandidateVerdict verdict;
  verdict.launches = asked.launches;
  STITCH_ASSIGN(verdict.kind, classify_candidate(asked.candidate));
  CandidateRequest request = asked;
  STITCH_ASSIGN(request.task, task_at_scale(job, asked, verdict));
  STITCH_ASSIGN(const ImportedProgram imported, import_program(job, request.task));
  tell_of_large_sizes(job, imported, device, verdict.kind);
  if (request.admitted_only) {
    STITCH_TRY(ask_admission(job, tools, request, imported, device, verdict));
  }
  STITCH_TRY(judge_by_kind(job, tools, device, request, verdict));
  const bool is_marked_only = request.launches != nullptr;
  if (verdict.report.verify.verdict().kind == VerdictKind::kOk && !verdict.admission.has_value() && !is_marked_only) {
    STITCH_TRY(ask_admission(job, tools, request, imported, device, verdict));
  }
  const bool is_timed = device == DeviceKind::kCuda && !is_marked_only && !job.options().no_time;
  if (is_timed && verdict.report.verify.verdict().kind == VerdictKind::kOk) {
    STITCH_TRY(time_candidate(job, tools, request, imported, verdict));
  }
  if (device == DeviceKind::kCuda && verdict.report.library_facts.has_value()) {
    evaluate::tell_device_reset(*verdict.report.library_facts, verdict.report.verify.findings);
  }
  verdict.report.verify.findings.sandbox = tools.confinement.mark;
  verdict.graph = imported.graph;
  return verdict;
}

CandidateClass class_of(const CandidateVerdict& verdict) {
  const bool was_seen = verdict.python.has_value() && !verdict.python->framework.message.empty();
  if (was_seen && verdict.python->framework.hack_class != HackClass::kClean) {
    return {verdict.python->framework.hack_class, verdict.python->framework.message};
  }
  const Verdict judged = verdict.report.verify.verdict();
  if (judged.kind == VerdictKind::kCheated || judged.kind == VerdictKind::kInvalidTime) {
    return {HackClass::kTotal, judged.reason};
  }
  return {HackClass::kClean, was_seen ? verdict.python->framework.message : "nothing of PyTorch ran in it"};
}

Json to_json(const CandidateVerdict& verdict) {
  const CandidateClass judged = class_of(verdict);
  Json json = {{"kind", to_string(verdict.kind)},
               {"notes", verdict.notes},
               {"reduced_sizes", verdict.reduced.empty() ? Json() : Json(verdict.reduced)},
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

}  // namespace stitch::driver
