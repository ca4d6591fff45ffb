// SPDX-License-Identifier: Apache-2.0
#include "verify/decide/decide.h"

#include <algorithm>
#include <tuple>

namespace stitch::verify {
namespace {

bool names(const std::vector<Stage>& stages, Stage stage) {
  return std::find(stages.begin(), stages.end(), stage) != stages.end();
}

size_t row_of(const Finding& finding) {
  const auto rows = precedence();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const PrecedenceRow& each) {
    return each.kind == finding.kind && (each.stages.empty() || names(each.stages, finding.stage));
  });
  return static_cast<size_t>(row - rows.begin());
}

bool comes_before(const Finding& one, const Finding& other) {
  const auto key = [](const Finding& each) { return std::tuple(row_of(each), each.stage); };
  if (key(one) != key(other)) {
    return key(one) < key(other);
  }
  return std::tie(one.reason, one.evidence) < std::tie(other.reason, other.evidence);
}

const Finding* first_of(const std::vector<Finding>& findings) {
  const bool is_checked = std::any_of(findings.begin(), findings.end(),
                                      [](const Finding& each) { return each.stage == Stage::kChecked; });
  const Finding* first = nullptr;
  for (const Finding& each : findings) {
    const bool is_replaced = is_checked && each.stage == Stage::kDraws;
    if (!is_replaced && (first == nullptr || comes_before(each, *first))) {
      first = &each;
    }
  }
  return first;
}

Verdict without_remarks(const Findings& findings) {
  if (const Finding* first = first_of(findings.list)) {
    const bool accepts = first->kind == VerdictKind::kOk;  // which only a proof does
    return {accepts ? VerdictKind::kUndecided : first->kind, first->reason, first->evidence};
  }
  const std::string lack = findings.proof.lack();
  return lack.empty() ? Verdict{VerdictKind::kOk, findings.acceptance, {}} : Verdict{VerdictKind::kUndecided, lack, {}};
}

}  // namespace

Verdict decide(const Findings& findings) {
  Verdict verdict = without_remarks(findings);
  for (const Remark& remark : findings.remarks) {
    if (remark.of.empty() || std::find(remark.of.begin(), remark.of.end(), verdict.kind) != remark.of.end()) {
      verdict.detail += remark.text;
    }
  }
  verdict.sandbox = findings.sandbox;
  return verdict;
}

}  // namespace stitch::verify
