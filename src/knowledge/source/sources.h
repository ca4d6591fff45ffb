// SPDX-License-Identifier: Apache-2.0
// What the index is made of, and whether it has changed since.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "knowledge/source/document.h"

namespace stitch::knowledge {

struct Sources {
  std::filesystem::path cards{};                 // knowledge/cards of our own files
  std::filesystem::path headers{};               // a CUDA toolkit's include/; empty: none here
  std::filesystem::path guides{};                // what `docs fetch` has brought; may be missing
  std::vector<std::filesystem::path> folders{};  // the user's own
};

// A digest of every file's path, size and time, and of how this stitchcuda reads them.
std::string sources_digest(const Sources& sources);

struct Collected {
  std::vector<Document> documents{};
  std::vector<std::string> skipped{};  // a sentence on each file that was left out, at most 20
};

// Reads everything. What cannot be read is skipped and said; kEnvironment where there are no cards.
Result<Collected> collect_documents(const Sources& sources);

}  // namespace stitch::knowledge
