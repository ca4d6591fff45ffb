// SPDX-License-Identifier: Apache-2.0
#include "knowledge/query/error_log.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "knowledge/words/words.h"

namespace stitch::knowledge {
namespace {

constexpr size_t kMaxLogBytes = 1u << 20;
constexpr size_t kMaxTellingBytes = 4000;
constexpr size_t kMaxLineBytes = 600;

// In lower case: what stands in a line that says what is wrong.
constexpr auto kComplaints = std::to_array<std::string_view>(
    {"error",         "=========", "sanitizer", "warning",   "illegal",   "invalid",    "undefined",
     "fatal",         "failed",    "cannot",    "exception", "violation", "misaligned", "out of bounds",
     "out of memory", "overflow",  "hazard",    "race",      "deadlock",  "spill",      "segmentation",
     "terminate",     "abort",     "nan",       "mismatch",  "wrong"});

constexpr auto kFileEndings =
    std::to_array<std::string_view>({".cu", ".cuh", ".h", ".hpp", ".cc", ".cpp", ".c", ".py", ".o", ".so", ".ptx",
                                     ".cubin", ".ii", ".s", ".a", ".txt"});

bool complains(std::string_view line) {
  std::string low(line);
  std::transform(low.begin(), low.end(), low.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return std::any_of(kComplaints.begin(), kComplaints.end(),
                     [&](std::string_view word) { return low.find(word) != std::string::npos; });
}

// "  12 |   float x = y;" and "     |     ^~~~": the program's own text under a message of g++.
bool is_quoted_source(std::string_view line) {
  const size_t bar = line.find('|');
  return bar != std::string_view::npos &&
         line.substr(0, bar).find_first_not_of(" \t0123456789") == std::string_view::npos;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// A path, a file, or either with a place behind it: "a/b.cu(12):", "x.cc:3:4:".
bool is_path(std::string_view piece) {
  if (piece.find('/') != std::string_view::npos) {
    return true;
  }
  const std::string_view name = piece.substr(0, piece.find_first_of("(:,"));
  return std::any_of(kFileEndings.begin(), kFileEndings.end(),
                     [&](std::string_view ending) { return name.size() > ending.size() && name.ends_with(ending); });
}

// They stand in every complaint.
constexpr auto kEmptyWords = std::to_array<std::string_view>({"error", "errors", "warning", "fatal", "note", "cuda"});

bool says_nothing(const std::string& word) {
  return std::find(kEmptyWords.begin(), kEmptyWords.end(), word) != kEmptyWords.end();
}

bool is_hash(const Word& word) {
  const auto digits = std::count_if(word.whole.begin(), word.whole.end(), [](char c) { return c >= '0' && c <= '9'; });
  return word.whole.size() >= 12 && digits >= 4;
}

void add_telling_words(std::string_view line, std::string& telling) {
  line = line.substr(0, kMaxLineBytes);
  for (size_t at = 0; at < line.size();) {
    const size_t end = static_cast<size_t>(
        std::find_if(line.begin() + static_cast<ptrdiff_t>(at), line.end(), is_space) - line.begin());
    const std::string_view piece = line.substr(at, end - at);
    at = end + 1;
    if (is_path(piece)) {
      continue;
    }
    for (const Word& word : words_of(piece)) {
      if (!is_number(word.whole) && !is_hash(word) && !says_nothing(word.whole) && telling.size() < kMaxTellingBytes) {
        telling += std::string(word.spelled) + " ";
      }
    }
  }
}

std::vector<std::string_view> lines_of_log(std::string_view log) {
  std::vector<std::string_view> lines;
  for (size_t at = 0; at < log.size();) {
    const size_t end = std::min(log.find('\n', at), log.size());
    lines.push_back(log.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::string telling_words(std::string_view log) {
  const std::vector<std::string_view> lines = lines_of_log(log.substr(0, kMaxLogBytes));
  std::string telling;
  for (const std::string_view line : lines) {
    if (!is_quoted_source(line) && complains(line)) {
      add_telling_words(line, telling);
    }
  }
  if (telling.empty()) {
    for (const std::string_view line : lines) {
      add_telling_words(line, telling);
    }
  }
  return telling;
}

}  // namespace stitch::knowledge
