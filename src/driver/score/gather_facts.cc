// SPDX-License-Identifier: Apache-2.0
#include "driver/score/gather_facts.h"

#include <filesystem>

#include "base/fs/files.h"
#include "driver/judge/judge_folder.h"
#include "driver/outside/judge_candidate.h"
#include "driver/score/program_facts.h"
#include "driver/score/workload.h"
#include "rubric/source/source_facts.h"
#include "toolchain/candidate/candidate_sources.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;
using toolchain::CandidateKind;
using toolchain::CandidateSources;
using toolchain::classify_candidate;
using toolchain::read_candidate_sources;

Result<std::map<std::string, std::string>> python_text(const fs::path& candidate) {
  std::error_code ignored;
  std::map<std::string, std::string> text;
  const fs::path file = fs::is_directory(candidate, ignored) ? candidate / "model_new.py" : candidate;
  STITCH_ASSIGN(text[file.filename().string()], read_file(file));
  return text;
}

Result<std::map<std::string, std::string>> native_text(const Job& job, const fs::path& candidate, CandidateKind kind) {
  if (kind == CandidateKind::kSources) {
    STITCH_ASSIGN(const CandidateSources sources, read_candidate_sources(candidate, job.resources().runtime()));
    return cuda_text_of(sources.bundle);
  }
  if (kind == CandidateKind::kBundle) {
    STITCH_ASSIGN(const SourceBundle bundle, read_bundle(candidate.string()));
    return cuda_text_of(bundle);
  }
  return std::map<std::string, std::string>();  // a library: nothing to read
}

rubric::FrameworkFacts framework_facts(const PythonVerdict& verdict) {
  const evaluate::FrameworkShare& share = verdict.framework;
  return {share.hack_class, share.share, share.left, share.message};
}

// A candidate in Python that failed before a call was seen has no policy to tell of.
bool was_seen(const PythonVerdict& verdict) { return !verdict.framework.message.empty(); }

Result<void> read_candidate(const Job& job, const CandidateRequest& request, ScoreSubject& subject) {
  STITCH_ASSIGN(const CandidateKind kind, classify_candidate(request.candidate));
  subject.facts.candidate = to_string(kind);
  subject.is_python = kind == CandidateKind::kPython;
  if (subject.is_python) {
    STITCH_ASSIGN(subject.text, python_text(request.candidate));
  } else {
    STITCH_ASSIGN(subject.text, native_text(job, request.candidate, kind));
  }
  return {};
}

void add_verdict(const Job& job, const CandidateRequest& request, const CandidateVerdict& verdict,
                 const evaluate::LaunchLedger& launches, ScoreSubject& subject) {
  subject.facts.verdict = verdict.report.verify.verdict();
  subject.facts.launches = launches.all();
  if (verdict.graph.has_value()) {
    subject.facts.workload = workload_of(job, *verdict.graph, request.task.math);
    subject.reference = operators_of(*verdict.graph);
  }
  if (verdict.python.has_value() && was_seen(*verdict.python)) {
    subject.facts.framework = framework_facts(*verdict.python);
  }
}

Result<void> judge_and_add(Job& job, const CandidateRequest& request, ScoreSubject& subject) {
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(job));
  STITCH_ASSIGN(const DeviceKind device, choose_device(job, tools));
  const auto ledger = std::make_shared<evaluate::LaunchLedger>();
  CandidateRequest listed = request;
  listed.launches = ledger;
  STITCH_ASSIGN(const CandidateVerdict verdict, judge_candidate(job, tools, device, listed));
  add_verdict(job, request, verdict, *ledger, subject);
  return {};
}

Result<void> gather_project(Job& job, const std::string& path, bool with_verdict, ScoreSubject& subject) {
  STITCH_ASSIGN(const Folder folder, read_folder(path));
  subject.facts = program_facts(folder.plan, nullptr, std::nullopt);
  subject.reference = operators_of(folder.plan.graph);
  subject.text = cuda_text_of(folder.sources);
  if (!with_verdict) {
    return {};
  }
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(job));
  STITCH_ASSIGN(const DeviceKind device, choose_device(job, tools));
  const auto ledger = std::make_shared<evaluate::LaunchLedger>();
  STITCH_ASSIGN(const evaluate::EvaluateReport report, judge_folder(job, tools, folder, device, {}, ledger));
  subject.facts.verdict = report.verify.verdict();
  subject.facts.launches = ledger->all();
  return {};
}

Result<void> add_refinement(const Job& job, const ScoreRequest& request, ScoreSubject& subject) {
  const bool refines = request.skill.empty() ? !request.feedback.empty() : request.skill == "refinement";
  subject.facts.skill = refines ? rubric::Skill::kRefinement : rubric::Skill::kScratch;
  if (!request.feedback.empty()) {
    STITCH_ASSIGN(subject.facts.feedback, read_file(request.feedback));
  }
  if (!request.previous.empty()) {
    STITCH_ASSIGN(const CandidateKind kind, classify_candidate(request.previous));
    if (kind != CandidateKind::kPython) {
      STITCH_ASSIGN(const auto text, native_text(job, request.previous, kind));
      if (!text.empty()) {  // of a library nobody knows what it was
        subject.facts.before = rubric::source_facts(text, std::nullopt);
      }
    }
  }
  return {};
}

// What is read of the text, once it is known what ran.
Result<void> add_text(const Job& job, const ScoreRequest& request, ScoreSubject& subject) {
  if (!subject.is_python && !subject.text.empty()) {
    subject.facts.source = rubric::source_facts(subject.text, subject.facts.launches);
  }
  return add_refinement(job, request, subject);
}

}  // namespace

Result<ScoreSubject> gather_facts(Job& job, const ScoreRequest& request, const CandidateVerdict& verdict,
                                  const evaluate::LaunchLedger& launches) {
  ScoreSubject subject;
  STITCH_TRY(read_candidate(job, request.candidate, subject));
  add_verdict(job, request.candidate, verdict, launches, subject);
  STITCH_TRY(add_text(job, request, subject));
  return subject;
}

Result<ScoreSubject> gather_facts(Job& job, const ScoreRequest& request, bool with_verdict) {
  ScoreSubject subject;
  if (request.candidate.candidate.empty()) {
    STITCH_TRY(gather_project(job, request.folder, with_verdict, subject));
  } else {
    STITCH_TRY(read_candidate(job, request.candidate, subject));
    if (with_verdict) {
      STITCH_TRY(judge_and_add(job, request.candidate, subject));
    }
  }
  STITCH_TRY(add_text(job, request, subject));
  return subject;
}

}  // namespace stitch::driver
