// SPDX-License-Identifier: Apache-2.0
// What a user's searches go to: the index in the cache, kept up to date and mended where it is damaged.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "knowledge/index/index.h"

namespace stitch::knowledge {

struct Places {
  std::filesystem::path cards{};    // knowledge/cards of stitchcuda's own files
  std::filesystem::path headers{};  // a CUDA toolkit's include/; empty: none here
  std::filesystem::path own{};      // the user's: folders.json, guides/
  std::filesystem::path index{};    // the file, in the cache
};

std::filesystem::path guides_folder(const Places& places);

// Cards, headers, guides, and the folders that are remembered.
Result<Sources> sources_of(const Places& places);

class Library {
 public:
  static Result<Library> open(const Places& places);
  // Builds the index in any case.
  static Result<Library> rebuild(const Places& places);

  // As search() and find_passage(); an index that turns out to be damaged is built anew, once.
  Result<std::vector<Passage>> search(const Query& query, int limit);
  Result<Passage> find(const std::string& id);

  const IndexFacts& facts() const { return index_.facts(); }
  const Sources& sources() const { return sources_; }

 private:
  Library(Sources sources, Index index) : sources_(std::move(sources)), index_(std::move(index)) {}
  Sources sources_;
  Index index_;
};

}  // namespace stitch::knowledge
