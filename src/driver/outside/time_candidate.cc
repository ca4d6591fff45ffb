// SPDX-License-Identifier: Apache-2.0
#include "driver/outside/time_candidate.h"

#include "driver/time/baseline.h"
#include "evaluate/inspect/library_check.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::driver {

Result<void> time_candidate(Job& job, const toolchain::Toolchain& tools, const CandidateRequest& request,
                            const ImportedProgram& imported, CandidateVerdict& verdict) {
  STITCH_ASSIGN(const ir::Graph graph, plan::rewrite(imported.graph));  // what no program for it can do without
  STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-candidate"));
  std::string library = verdict.report.compile.library;
  const bool is_python = verdict.python.has_value();
  if (library.empty() && !is_python) {  // it came built: what is loaded is what was looked at, once more
    library = (folder.path() / "candidate.so").string();
    STITCH_ASSIGN(const evaluate::LibraryCheck check,
                  evaluate::keep_and_check_library(request.candidate, DeviceKind::kCuda, library));
    if (check.refusal.has_value()) {
      verdict.report.verify.findings.add(check.refusal);
      return {};
    }
  }
  evaluate::VerifyReport& report = verdict.report.verify;
  STITCH_ASSIGN(const auto baseline, find_baseline(job, request.task, DeviceKind::kCuda));
  TimedProgram timed{graph, library, report, request.task.math, baseline, {}};
  if (is_python) {
    timed.binary = verdict.python->binary;
  }
  STITCH_ASSIGN(verdict.times, time_on_gpu(job, tools, timed));
  report.findings.add(verdict.times->finding);
  return {};
}

}  // namespace stitch::driver
