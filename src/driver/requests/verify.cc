// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/verify.h"

#include <memory>

#include "driver/judge/judge_folder.h"
#include "driver/outside/ignored_targets_hint.h"
#include "driver/outside/mode_hint.h"

namespace stitch::driver {
namespace {

std::vector<std::string> hints_of(const CandidateVerdict& candidate, const std::string& mode) {
  std::vector<std::string> hints;
  if (candidate.report.verify.verdict().kind == VerdictKind::kWrong && candidate.graph.has_value()) {
    hints.push_back(mode_hint(*candidate.graph, mode));
    hints.push_back(ignored_targets_hint(*candidate.graph));
  }
  std::erase(hints, "");
  return hints;
}

}  // namespace

Result<VerifyReport> verify(const VerifyRequest& request, const Services& services) {
  Job job(request.options, services);
  VerifyReport report;
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(job));
  STITCH_ASSIGN(report.device, choose_device(job, tools));
  if (request.candidate.candidate.empty()) {
    STITCH_ASSIGN(const Folder folder, read_folder(request.folder));
    STITCH_ASSIGN(report.candidate.report, judge_folder(job, tools, folder, report.device, request.step));
  } else {
    const auto ledger = std::make_shared<evaluate::LaunchLedger>();
    CandidateRequest listed = request.candidate;
    listed.launches = request.score.has_value() ? ledger : listed.launches;
    STITCH_ASSIGN(report.candidate, judge_candidate(job, tools, report.device, listed));
    if (request.score.has_value() && report.candidate.report.verify.verdict().kind == VerdictKind::kOk) {
      STITCH_ASSIGN(report.score, mark_judged(job, *request.score, report.candidate, *ledger));
    }
    report.hints = hints_of(report.candidate, request.candidate.task.mode);
  }
  return report;
}

}  // namespace stitch::driver
