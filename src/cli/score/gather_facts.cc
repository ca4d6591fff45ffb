// SPDX-License-Identifier: Apache-2.0
#include "cli/score/gather_facts.h"

#include <filesystem>

#include "base/fs/files.h"
#include "cli/outside/candidate_sources.h"
#include "cli/outside/judge_candidate.h"
#include "cli/score/workload.h"
#include "cli/stages/judge_folder.h"
#include "rubric/source/source_facts.h"

namespace stitch::cli {
namespace {

namespace fs = std::filesystem;

// Ten times what our own programs bring. Nobody reads a longer text, so neither does the rubric.
constexpr size_t kMostText = size_t{4} << 20;

// What a program of ours compiles for every device alike says nothing about it.
bool is_host_layer(const std::string& file) { return file.find("runtime/host/") != std::string::npos; }

std::map<std::string, std::string> text_of(const SourceBundle& bundle) {
  std::map<std::string, std::string> text;
  size_t bytes = 0;
  for (const auto& [name, content] : bundle.files) {
    const bool is_cuda = name.ends_with(".cu") || name.ends_with(".cuh") || name.ends_with(".h") ||
                         name.ends_with(".hpp") || name.ends_with(".inl");
    if (is_cuda && !is_host_layer(name) && !name.ends_with("stitch_program.h")) {
      text[name] = content;
      bytes += content.size();
    }
  }
  return bytes <= kMostText ? text : std::map<std::string, std::string>();
}

Result<std::map<std::string, std::string>> python_text(const fs::path& candidate) {
  std::error_code ignored;
  std::map<std::string, std::string> text;
  const fs::path file = fs::is_directory(candidate, ignored) ? candidate / "model_new.py" : candidate;
  STITCH_ASSIGN(text[file.filename().string()], read_file(file));
  return text;
}

Result<std::map<std::string, std::string>> native_text(const Session& session, const fs::path& candidate,
                                                       CandidateKind kind) {
  if (kind == CandidateKind::kSources) {
    STITCH_ASSIGN(const CandidateSources sources, read_candidate_sources(candidate, session.resources().runtime()));
    return text_of(sources.bundle);
  }
  if (kind == CandidateKind::kBundle) {
    STITCH_ASSIGN(const SourceBundle bundle, read_bundle(candidate.string()));
    return text_of(bundle);
  }
  return std::map<std::string, std::string>();  // a library: nothing to read
}

rubric::FrameworkFacts framework_facts(const PythonVerdict& verdict) {
  const evaluate::FrameworkShare& share = verdict.framework;
  return {share.hack_class, share.share, share.left, share.sentence};
}

// A candidate in Python that failed before a call was seen has no policy to tell of.
bool was_seen(const PythonVerdict& verdict) { return !verdict.framework.sentence.empty(); }

Result<void> gather_candidate(Session& session, bool with_verdict, ScoreSubject& subject) {
  const CommandLine& line = session.line();
  STITCH_ASSIGN(const CandidateKind kind, classify_candidate(line.candidate));
  subject.facts.candidate = to_string(kind);
  subject.is_python = kind == CandidateKind::kPython;
  if (subject.is_python) {
    STITCH_ASSIGN(subject.text, python_text(line.candidate));
  } else {
    STITCH_ASSIGN(subject.text, native_text(session, line.candidate, kind));
  }
  if (!with_verdict) {
    return {};
  }
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(session));
  STITCH_ASSIGN(const DeviceKind device, choose_device(session, tools));
  const auto ledger = std::make_shared<evaluate::LaunchLedger>();
  STITCH_ASSIGN(const CandidateVerdict verdict, judge_candidate(session, tools, device, ledger));
  subject.facts.verdict = verdict.report.verify.verdict;
  subject.facts.launches = ledger->launches();
  if (verdict.graph.has_value()) {
    subject.facts.workload = workload_of(session, *verdict.graph, line.math);
    subject.reference = operators_of(*verdict.graph);
  }
  if (verdict.python.has_value() && was_seen(*verdict.python)) {
    subject.facts.framework = framework_facts(*verdict.python);
  }
  return {};
}

Result<void> gather_project(Session& session, bool with_verdict, ScoreSubject& subject) {
  STITCH_ASSIGN(const Folder folder, read_folder(session.line().file));
  subject.facts.candidate = "project";
  subject.facts.plan = plan_facts(folder.plan);
  subject.facts.workload = workload_of(folder.plan);
  subject.reference = operators_of(folder.plan.graph);
  subject.text = text_of(folder.sources);
  if (!with_verdict) {
    return {};
  }
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(session));
  STITCH_ASSIGN(const DeviceKind device, choose_device(session, tools));
  const auto ledger = std::make_shared<evaluate::LaunchLedger>();
  STITCH_ASSIGN(const evaluate::EvaluateReport report, judge_folder(session, tools, folder, device, ledger));
  subject.facts.verdict = report.verify.verdict;
  subject.facts.launches = ledger->launches();
  return {};
}

Result<void> add_refinement(const Session& session, ScoreSubject& subject) {
  const CommandLine& line = session.line();
  const bool refines = line.skill.empty() ? !line.feedback.empty() : line.skill == "refinement";
  subject.facts.skill = refines ? rubric::Skill::kRefinement : rubric::Skill::kScratch;
  if (!line.feedback.empty()) {
    STITCH_ASSIGN(subject.facts.feedback, read_file(line.feedback));
  }
  if (!line.previous.empty()) {
    STITCH_ASSIGN(const CandidateKind kind, classify_candidate(line.previous));
    if (kind != CandidateKind::kPython) {
      STITCH_ASSIGN(const auto text, native_text(session, line.previous, kind));
      if (!text.empty()) {  // of a library nobody knows what it was
        subject.facts.before = rubric::source_facts(text, std::nullopt);
      }
    }
  }
  return {};
}

}  // namespace

Result<ScoreSubject> gather_facts(Session& session, bool with_verdict) {
  ScoreSubject subject;
  if (session.line().candidate.empty()) {
    STITCH_TRY(gather_project(session, with_verdict, subject));
  } else {
    STITCH_TRY(gather_candidate(session, with_verdict, subject));
  }
  if (!subject.is_python && !subject.text.empty()) {
    subject.facts.source = rubric::source_facts(subject.text, subject.facts.launches);
  }
  STITCH_TRY(add_refinement(session, subject));
  return subject;
}

}  // namespace stitch::cli
