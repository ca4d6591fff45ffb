// SPDX-License-Identifier: Apache-2.0
// The one place where a verdict is made: from everything that all stages found, whatever order they found it in.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "artifact/report/finding.h"
#include "verify/decide/proof.h"

namespace stitch::verify {

// A text that is added to a verdict's detail.
struct Remark {
  std::string text;
  std::vector<VerdictKind> of{};  // the kinds of verdicts that it belongs to; empty: to any
};

struct Findings {
  std::vector<Finding> list;
  Proof proof;                  // what an acceptance would stand on
  std::string acceptance{};     // the reason of an acceptance
  std::vector<Remark> remarks;  // in this order
  std::string sandbox{};        // the verdict's mark

  // Whether nothing speaks against the candidate so far. That alone accepts nothing: decide() asks for the proof.
  bool is_clean() const { return list.empty(); }
  void add(Finding finding) { list.push_back(std::move(finding)); }
  void add(std::optional<Finding> finding) {
    if (finding.has_value()) {
      list.push_back(std::move(*finding));
    }
  }
};

// One row of the order of precedence: findings of this kind that these stages made.
struct PrecedenceRow {
  VerdictKind kind;
  std::vector<Stage> stages;  // empty: every one that no row above names with this kind
  const char* why;            // it comes before the rows below
};
// The rows in order: the first one that a finding belongs to decides. docs/verdicts.md shows them.
std::span<const PrecedenceRow> precedence();

// The finding of the first row decides; of several of one row that of the earliest stage; of those, the first by its
// words. A finding of a checked draw stands in the place of what the draws beside it found: it names the line.
// Without a finding `ok` needs the proof; where that lacks something the verdict is `undecided` and says what.
Verdict decide(const Findings& findings);

}  // namespace stitch::verify
