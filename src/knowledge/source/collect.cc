// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/fs/files.h"
#include "knowledge/source/card.h"
#include "knowledge/source/header.h"
#include "knowledge/source/pdf.h"
#include "knowledge/source/sections.h"
#include "knowledge/source/source_files.h"
#include "knowledge/source/sources.h"
#include "knowledge/words/words.h"

namespace stitch::knowledge {
namespace {

constexpr size_t kMaxSkipped = 20;

Result<std::vector<Document>> read_source(const SourceFile& file) {
  Document base{.origin = file.origin, .source = clean_utf8(file.path.string())};
  base.id = clean_utf8(std::string(to_string(file.origin)) + ":" + file.name);
  base.title = clean_utf8(file.path.stem().string());
  if (file.kind == FileKind::kPdf) {
    return pdf_pages(base, file.path);
  }
  STITCH_ASSIGN(const std::string bytes, read_file(file.path));
  const std::string text = clean_utf8(bytes);
  if (file.origin == Origin::kCard) {
    STITCH_ASSIGN(Document card, read_card(file.name, text));
    card.source = base.source;
    return std::vector<Document>{std::move(card)};
  }
  switch (file.kind) {
    case FileKind::kHeader:
      return read_header(file.name, base.source, text);
    case FileKind::kMarkdown:
      return markdown_sections(base, text);
    case FileKind::kHtml:
      return markdown_sections(base, html_to_markdown(text));
    default:
      return plain_sections(base, text);
  }
}

// Of two documents of one id the later is "ID~2".
void make_ids_unique(std::vector<Document>& documents) {
  std::unordered_map<std::string, int> taken;
  for (Document& document : documents) {
    std::string id = document.id;
    while (taken.count(id) > 0) {
      id = fmt::format("{}~{}", document.id, ++taken[document.id]);
    }
    taken[id] = 1;
    document.id = id;
  }
}

}  // namespace

Result<Collected> collect_documents(const Sources& sources) {
  SourceFiles files = list_source_files(sources);
  Collected collected{.skipped = std::move(files.skipped)};
  for (const SourceFile& file : files.files) {
    Result<std::vector<Document>> read = read_source(file);
    if (!read.has_value()) {
      const Error& error = read.error();
      collected.skipped.push_back(fmt::format("{} was left out: {}{}", file.path.string(), error.message,
                                              error.remedy.empty() ? "" : " (" + error.remedy + ")"));
      continue;
    }
    std::move(read->begin(), read->end(), std::back_inserter(collected.documents));
  }
  const bool has_cards = std::any_of(collected.documents.begin(), collected.documents.end(),
                                     [](const Document& document) { return document.origin == Origin::kCard; });
  if (!has_cards) {
    return failure(ErrorCode::kEnvironment, "stitchcuda's own cards (knowledge/cards/) were not found",
                   sources.cards.string(), "unpack the whole tarball, or set STITCHCUDA_RESOURCES to its folder");
  }
  if (collected.skipped.size() > kMaxSkipped) {
    const size_t more = collected.skipped.size() - (kMaxSkipped - 1);
    collected.skipped.resize(kMaxSkipped - 1);
    collected.skipped.push_back(fmt::format("{} more were left out", more));
  }
  make_ids_unique(collected.documents);
  return collected;
}

}  // namespace stitch::knowledge
