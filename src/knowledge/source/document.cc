// SPDX-License-Identifier: Apache-2.0
#include "knowledge/source/document.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "knowledge/words/words.h"

namespace stitch::knowledge {
namespace {

// How many bytes of `text` to take, at most kMaxDocumentBytes: up to a line's end, a word's, or a whole character's.
size_t good_cut(std::string_view text) {
  const std::string_view piece = cut_utf8(text, kMaxDocumentBytes);
  if (piece.size() == text.size()) {
    return text.size();
  }
  for (const char separator : {'\n', ' '}) {
    const size_t found = piece.rfind(separator);
    if (found != std::string_view::npos && found > kMaxDocumentBytes / 2) {
      return found + 1;
    }
  }
  return piece.empty() ? kMaxDocumentBytes : piece.size();
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
  const std::string body = std::exchange(document.body, {});
  size_t at = 0;
  do {
    const size_t bytes = good_cut(std::string_view(body).substr(at));
    pieces.push_back(document);
    pieces.back().body = body.substr(at, bytes);
    at += bytes;
  } while (at < body.size());
  for (size_t i = 1; i < pieces.size(); ++i) {
    pieces[i].id += fmt::format("~{}", i + 1);
  }
  return pieces;
}

}  // namespace stitch::knowledge
