// SPDX-License-Identifier: Apache-2.0
// The files that an index is made of, in a fixed order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "knowledge/source/sources.h"

namespace stitch::knowledge {

enum class FileKind { kMarkdown, kHtml, kPdf, kPlain, kHeader };

struct SourceFile {
  std::filesystem::path path{};
  std::string name{};  // as ids have it: "memory/coalescing", "cuda_fp16.h", "notes/tiles.md"
  Origin origin = Origin::kCard;
  FileKind kind = FileKind::kPlain;
  uintmax_t bytes = 0;
  int64_t changed = 0;
};

struct SourceFiles {
  std::vector<SourceFile> files{};
  std::vector<std::string> skipped{};  // a sentence on each that is no source by its size or number
};

// Regular files alone, links to them too; no hidden ones, and no folders behind links.
SourceFiles list_source_files(const Sources& sources);

}  // namespace stitch::knowledge
