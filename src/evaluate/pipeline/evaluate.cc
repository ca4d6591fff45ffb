// SPDX-License-Identifier: Apache-2.0
#include "evaluate/pipeline/evaluate.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/fs/files.h"
#include "base/text/printable.h"
#include "evaluate/inspect/built_library.h"
#include "evaluate/verify/verify_program.h"
#include "toolchain/build/build.h"

namespace stitch::evaluate {
namespace {

// Regimes besides the data as given; each hidden shape takes one of them, so that together they take all.
constexpr const char* kOtherRegimes[] = {"signed_scaled", "near_equal", "sparse_extreme"};

std::string diagnostic_line(const Diagnostic& diagnostic) {
  constexpr size_t kMaxLength = 2000;  // a candidate's #error says what it likes
  return printable_line(fmt::format("{}:{}: {}", diagnostic.file, diagnostic.line, diagnostic.message), kMaxLength);
}

class Builder {
 public:
  Builder(const EvaluateRequest& request, const toolchain::Toolchain& tools, EvaluateReport& report)
      : request_(request), tools_(tools), report_(report) {}

  // The library, or nothing after a build that failed by the candidate's fault: the report then holds its verdict.
  Result<std::optional<std::string>> build(const EvaluateTask& task, DeviceKind device) {
    if (!task.library.empty()) {
      return take_library(task.library, device);
    }
    toolchain::BuildRequest build_request;
    build_request.bundle = task.bundle;
    build_request.device = device;
    build_request.authors = {request_.is_outside, task.emitted};
    build_request.joins_equal_steps = device != DeviceKind::kCuda;
    build_request.architecture = request_.architecture;
    const std::string what = fmt::format("{}, {}", task.shape, to_string(device));
    build_request.progress = [&](const toolchain::BuildProgress& progress) {
      if (request_.progress) {
        request_.progress(fmt::format("{}: unit {} of {}", what, progress.done, progress.total));
      }
    };
    STITCH_ASSIGN(CompileReport compiled, toolchain::build(build_request, tools_));
    report_.units_compiled += compiled.units_compiled;
    report_.units_from_cache += compiled.units_from_cache;
    if (!compiled.ok) {
      report_.verify.findings.add(build_failed(compiled, what));
      report_.compile = std::move(compiled);
      return std::optional<std::string>{};
    }
    const std::string library = compiled.library;
    if (request_.is_outside) {
      STITCH_ASSIGN(LibraryCheck check, check_built_library(build_request, library, tools_));
      if (!may_be_loaded(std::move(check))) {
        return std::optional<std::string>{};
      }
    }
    if (report_.compile.library.empty()) {
      report_.compile = std::move(compiled);
    }
    return std::optional<std::string>(library);
  }

 private:
  // The library of a candidate that came built.
  Result<std::optional<std::string>> take_library(const std::string& library, DeviceKind device) {
    STITCH_ASSIGN(TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-candidate"));
    kept_.emplace(std::move(folder));
    const std::filesystem::path kept = kept_->path() / "candidate.so";
    STITCH_ASSIGN(LibraryCheck check, keep_and_check_library(library, device, kept));
    return may_be_loaded(std::move(check)) ? std::optional(kept.string()) : std::nullopt;
  }

  bool may_be_loaded(LibraryCheck check) {
    if (check.facts.has_value() && !report_.library_facts.has_value()) {
      report_.library_facts = std::move(check.facts);
    }
    report_.verify.findings.add(check.refusal);
    return !check.refusal.has_value();
  }

  const EvaluateRequest& request_;
  const toolchain::Toolchain& tools_;
  EvaluateReport& report_;
  std::optional<TemporaryDirectory> kept_;
};

VerifySubject subject_of(const EvaluateTask& task, DeviceKind device, std::string library) {
  VerifySubject subject;
  subject.shape = task.shape;
  subject.source = task.source;
  subject.draw_seconds = task.draw_seconds;
  subject.note = task.note;
  subject.binary = {device, std::move(library)};
  return subject;
}

// False when a build failed by the candidate's fault.
Result<bool> build_subjects(const EvaluateRequest& request, Builder& builder, std::vector<VerifySubject>& subjects) {
  STITCH_ASSIGN(const auto library, builder.build(request.declared, request.device));
  if (!library) {
    return false;
  }
  subjects.push_back(subject_of(request.declared, request.device, *library));
  subjects.back().binary.launches = request.launches;
  if (request.with_checked_draw && request.declared.library.empty()) {
    STITCH_ASSIGN(const auto checked, builder.build(request.declared, DeviceKind::kChecked));
    if (!checked) {
      return false;
    }
    subjects.front().checked = CandidateBinary{DeviceKind::kChecked, *checked};
  }
  bool batch_is_checked = false;
  for (size_t i = 0; i < request.hidden.size(); ++i) {
    const EvaluateTask& task = request.hidden[i];
    const DeviceKind device = task.is_checked_draw ? DeviceKind::kChecked : request.device;
    std::optional<std::string> hidden = *library;
    if (!task.same_binary) {
      STITCH_ASSIGN(hidden, builder.build(task, device));
    }
    if (!hidden) {
      return false;
    }
    subjects.push_back(subject_of(task, device, *hidden));
    if (task.is_checked_draw) {
      subjects.back().regimes = {verify::kAsGiven};
      subjects.back().draws_per_regime = 1;
      continue;
    }
    subjects.back().same_binary = task.same_binary;
    if (task.same_binary && !batch_is_checked) {
      subjects.back().checked = subjects.front().checked;  // memory that follows the batch is a place for overruns
      batch_is_checked = true;
    }
    subjects.back().regimes = {verify::kAsGiven, kOtherRegimes[i % std::size(kOtherRegimes)]};
    subjects.back().draws_per_regime = kDrawsPerRegimeHidden;
  }
  // A checked draw beside the GPU's takes longest: it begins before those at other sizes.
  std::stable_partition(subjects.begin() + 1, subjects.end(), [&](const VerifySubject& subject) {
    return request.device == DeviceKind::kCuda && subject.binary.device == DeviceKind::kChecked;
  });
  return true;
}

std::string why_not_checked(const EvaluateRequest& request) {
  if (!request.declared.library.empty()) {
    return "the candidate came built, and sanitizers are compiled in";
  }
  const bool is_known = !request.no_checked_draw.empty() || request.device != DeviceKind::kCuda;
  return is_known ? request.no_checked_draw : "a GPU has no sanitizers";
}

}  // namespace

Finding build_failed(const CompileReport& report, const std::string& shape) {
  // A GPU would take it: no mistake of its author's.
  const VerdictKind kind = report.is_beyond_device ? VerdictKind::kUnsupported : VerdictKind::kBuildFailed;
  Finding finding{Stage::kBuild, kind, "the compiler gave no message (" + shape + ")"};
  bool first = true;
  for (const Diagnostic& diagnostic : report.diagnostics) {
    finding.evidence += diagnostic_line(diagnostic) + "\n";
    if (first && diagnostic.severity == Severity::kError) {
      finding.reason = fmt::format("{} ({})", diagnostic_line(diagnostic), shape);
      first = false;
    }
  }
  return finding;
}

Result<EvaluateReport> evaluate(const EvaluateRequest& request, const toolchain::Toolchain& tools,
                                verify::Oracle& oracle, const StartCandidate& start_candidate) {
  EvaluateReport report;
  VerifyRequest verify_request;
  verify_request.math = request.math;
  verify_request.seed = request.seed;
  verify_request.repeats_calls = request.is_outside;
  verify_request.keeps_draws = (request.is_timed || request.device == DeviceKind::kCuda) && !request.is_untimed;
  verify_request.two_at_once = request.device == DeviceKind::kEmulated;
  verify_request.no_checked_draw = why_not_checked(request);
  verify_request.progress = request.progress;
  const auto start = std::chrono::steady_clock::now();
  Builder builder(request, tools, report);
  STITCH_ASSIGN(const bool built, build_subjects(request, builder, verify_request.subjects));
  report.build_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (built) {
    STITCH_TRY(request.before_verifying ? request.before_verifying() : Result<void>());
    STITCH_ASSIGN(report.verify, verify_program(verify_request, oracle, start_candidate));
  }
  report.verify.findings.sandbox = tools.confinement.mark;
  return report;
}

}  // namespace stitch::evaluate
