// SPDX-License-Identifier: Apache-2.0
#include "knowledge/source/document.h"

#include <fmt/format.h>

namespace stitch::knowledge {
namespace {

// Where to cut `text` so that the first part has at most `max_bytes`: behind a line, a word, or a whole character.
size_t good_cut(const std::string& text, size_t max_bytes) {
  for (const char separator : {'\n', ' '}) {
    const size_t found = text.rfind(separator, max_bytes - 1);
    if (found != std::string::npos && found > max_bytes / 2) {
      return found + 1;
    }
  }
  size_t cut = max_bytes;
  while (cut > 1 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) {
    --cut;
  }
  return cut;
}

}  // namespace

const char* to_string(Origin origin) {
  switch (origin) {
    case Origin::kCard:
      return "card";
    case Origin::kHeader:
      return "header";
    case Origin::kGuide:
      return "guide";
    case Origin::kFolder:
      return "folder";
  }
  return "";
}

std::vector<Document> cut_to_size(Document document) {
  std::vector<Document> pieces;
  std::string left = std::move(document.body);
  while (left.size() > kMaxDocumentBytes) {
    const size_t cut = good_cut(left, kMaxDocumentBytes);
    Document piece = document;
    piece.body = left.substr(0, cut);
    pieces.push_back(std::move(piece));
    left.erase(0, cut);
  }
  document.body = std::move(left);
  pieces.push_back(std::move(document));
  for (size_t i = 1; i < pieces.size(); ++i) {
    pieces[i].id += fmt::format("~{}", i + 1);
  }
  return pieces;
}

}  // namespace stitch::knowledge
