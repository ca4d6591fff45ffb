// SPDX-License-Identifier: Apache-2.0
// What a pass wants changed: pieces of the source to replace. Passes only add edits; nothing is applied until the end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stitch::rewriter {

struct Edit {
  size_t begin;
  size_t end;  // equal to begin: an insertion
  std::string text;
};

// A construct the emulated device does not take: one sentence with its place.
struct Refusal {
  int line;
  std::string message;
};

struct Changes {
  std::vector<Edit> edits;
  std::vector<Refusal> refusals;

  void replace(size_t begin, size_t end, std::string text) { edits.push_back({begin, end, std::move(text)}); }
  void insert(size_t at, std::string text) { edits.push_back({at, at, std::move(text)}); }
  void refuse(int line, std::string message) { refusals.push_back({line, std::move(message)}); }
};

// Applies the edits; a replacement keeps the number of lines of what it replaces.
std::string apply_edits(std::string_view source, std::vector<Edit> edits);

}  // namespace stitch::rewriter
