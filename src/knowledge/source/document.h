// SPDX-License-Identifier: Apache-2.0
// One piece of knowledge as it is read from a source: short enough to be handed to a model whole.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace stitch::knowledge {

enum class Origin { kCard, kHeader, kGuide, kFolder };

// "card", "header", "guide", "folder": the beginning of an id.
const char* to_string(Origin origin);

inline constexpr size_t kMaxDocumentBytes = 6000;

struct Document {
  std::string id{};
  Origin origin = Origin::kCard;
  std::string title{};
  std::string when{};      // when it applies; of what is no card, the headings above it, or its first sentence
  std::string messages{};  // what compilers and programs say when it applies
  std::string body{};      // all of it, as it is shown
  std::string source{};
  std::string place{};
};

// The same text in documents of at most kMaxDocumentBytes, cut between lines where there are any.
std::vector<Document> cut_to_size(Document document);

}  // namespace stitch::knowledge
