// SPDX-License-Identifier: Apache-2.0
#include "knowledge/source/pdf.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/process/child.h"
#include "knowledge/words/words.h"

namespace stitch::knowledge {
namespace {

constexpr int64_t kTimeoutMs = 60'000;
constexpr uint64_t kMaxCpuSeconds = 30;
constexpr uint64_t kMaxMemoryBytes = 2ull << 30;

}  // namespace

Result<std::vector<Document>> pdf_pages(const Document& base, const std::filesystem::path& file) {
  const std::filesystem::path program = find_program("pdftotext");
  if (program.empty()) {
    return failure(ErrorCode::kEnvironment, "PDF files are read by pdftotext, which is not here", "",
                   "sudo apt-get install poppler-utils");
  }
  STITCH_ASSIGN(const ChildOutput output,
                run_child({.arguments = {program.string(), "-enc", "UTF-8", file.string(), "-"},
                           .address_space_bytes = kMaxMemoryBytes,
                           .cpu_seconds = kMaxCpuSeconds},
                          kTimeoutMs));
  if (!output.exit.ok()) {
    return failure(ErrorCode::kFileInvalid, "pdftotext makes nothing of it", file.string());
  }
  const std::string text = output.standard_output;
  std::vector<Document> pages;
  size_t number = 1;
  for (size_t at = 0; at < text.size(); ++number) {
    const size_t end = std::min(text.find('\f', at), text.size());
    Document page = base;
    page.body = clean_utf8(std::string_view(text).substr(at, end - at));
    page.place = fmt::format("page {}", number);
    page.id += fmt::format("#page-{}", number);
    at = end + 1;
    if (page.body.find_first_not_of(" \n\t") == std::string::npos) {
      continue;
    }
    for (Document& piece : cut_to_size(std::move(page))) {
      pages.push_back(std::move(piece));
    }
  }
  return pages;
}

}  // namespace stitch::knowledge
