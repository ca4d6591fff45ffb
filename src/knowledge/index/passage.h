// SPDX-License-Identifier: Apache-2.0
// What a search answers with, best first.
#pragma once

#include <string>

#include "knowledge/source/document.h"

namespace stitch::knowledge {

struct Passage {
  std::string id{};  // stable as long as its source says the same: "card:memory/coalescing"
  Origin origin = Origin::kCard;
  std::string title{};
  std::string source{};   // a file, or an address
  std::string place{};    // in it: "line 6324", a heading
  std::string text{};     // whole, at most kMaxDocumentBytes
  std::string snippet{};  // the part of it that the query is about, on one line
  double score = 0;       // larger is better; of one search alone
};

}  // namespace stitch::knowledge
