// SPDX-License-Identifier: Apache-2.0
#include "cli/outside/time_candidate.h"

#include "cli/stages/baseline.h"
#include "evaluate/inspect/library_check.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::cli {

Result<void> time_candidate(Session& session, const toolchain::Toolchain& tools, const Task& task,
                            const ImportedProgram& imported, CandidateVerdict& verdict) {
  STITCH_ASSIGN(const ir::Graph graph, plan::rewrite(imported.graph));  // what no program for it can do without
  STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-candidate"));
  std::string library = verdict.report.compile.library;
  const bool is_python = verdict.python.has_value();
  if (library.empty() && !is_python) {  // it came built: what is loaded is what was looked at, once more
    library = (folder.path() / "candidate.so").string();
    STITCH_ASSIGN(const evaluate::LibraryCheck check,
                  evaluate::keep_and_check_library(session.line().candidate, DeviceKind::kCuda, library));
    if (check.refusal.has_value()) {
      verdict.report.verify.verdict = *check.refusal;
      return {};
    }
  }
  evaluate::VerifyReport& report = verdict.report.verify;
  STITCH_ASSIGN(const auto baseline, find_baseline(session, task, DeviceKind::kCuda));
  TimedProgram timed{graph, library, report, task.math, baseline, {}};
  if (is_python) {
    timed.binary = verdict.python->binary;
  }
  STITCH_ASSIGN(verdict.times, time_on_gpu(session, tools, timed));
  report.verdict = verdict.times->verdict.value_or(report.verdict);
  return {};
}

}  // namespace stitch::cli
