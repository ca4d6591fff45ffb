// SPDX-License-Identifier: Apache-2.0
// From a query to the terms that the full-text table is asked for.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "knowledge/query/query.h"

namespace stitch::knowledge {

struct Term {
  std::string text{};          // as words_of() spells it
  int weight = 1;              // how often it counts: what was asked for more than what means nearly the same
  bool is_identifier = false;  // or a part of one
};

inline constexpr size_t kMaxTerms = 64;

// The most telling ones, at most kMaxTerms; none where a query has no word.
std::vector<Term> terms_of(const Query& query);

// Those to look for among declarations: identifiers and their parts where there are any, else what was asked itself.
std::vector<Term> declaration_terms(const std::vector<Term>& terms);

// The same as an expression of FTS5: each term quoted, with OR between. Nothing of a query's syntax gets through.
std::string match_expression(const std::vector<Term>& terms);

}  // namespace stitch::knowledge
