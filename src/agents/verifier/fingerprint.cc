// SPDX-License-Identifier: Apache-2.0
#include "agents/verifier/fingerprint.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text/printable.h"

namespace stitch::agents {
namespace {

constexpr size_t kMaxBytes = 200;
constexpr size_t kMinHashDigits = 8;
constexpr ptrdiff_t kMaxUnitLetters = 2;

// Underscores divide: generated names carry a number or a hash in one of their parts.
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_hexadecimal(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

// What stands for a word of letters and digits: an address, a hash, a number, or the word itself.
std::string_view shown(std::string_view word) {
  const bool is_address = word.starts_with("0x") && std::all_of(word.begin() + 2, word.end(), is_hexadecimal);
  const bool has_digit = std::any_of(word.begin(), word.end(), is_digit);
  const bool is_hash =
      has_digit && word.size() >= kMinHashDigits && std::all_of(word.begin(), word.end(), is_hexadecimal);
  if (is_address || is_hash) {
    return "#";
  }
  // "12", "12us": an amount; "3x3conv" is a name.
  const auto letters = std::find_if_not(word.begin(), word.end(), is_digit);
  return is_digit(word.front()) && word.end() - letters <= kMaxUnitLetters ? "N" : word;
}

// Folders before a name are where it lay this time.
std::string without_folders(std::string_view line) {
  std::string kept;
  for (size_t at = 0; at < line.size();) {
    const size_t end = std::min(line.find_first_of(" \t\"'()[],;", at), line.size());
    std::string_view word = line.substr(at, end - at);
    const size_t slash = word.rfind('/');
    const bool is_file = slash != word.npos && (word.starts_with('/') || word.find('.', slash) != word.npos);
    word.remove_prefix(is_file ? slash + 1 : 0);
    kept += word;
    kept += line.substr(end, 1);
    at = end + 1;
  }
  return kept;
}

std::string normalised(std::string_view line) {
  const std::string text = without_folders(line);
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && is_word(text[end])) {
      ++end;
    }
    if (end > at) {
      result += shown(std::string_view(text).substr(at, end - at));
      at = end;
    } else {
      const bool is_repeated = text[at] == ' ' && result.ends_with(' ');
      result += is_repeated ? "" : std::string(1, text[at]);
      ++at;
    }
  }
  return result;
}

bool tells_an_error(std::string_view line) {
  constexpr std::array<std::string_view, 6> kWords = {"error",    "Error", "ERROR", "fatal", "undefined reference",
                                                      "Assertion"};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return line.find(word) != line.npos; });
}

}  // namespace

std::string fingerprint(std::string_view log) {
  std::string_view first;
  for (size_t at = 0; at < log.size();) {
    const size_t end = std::min(log.find('\n', at), log.size());
    const std::string_view line = log.substr(at, end - at);
    at = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
      continue;
    }
    first = first.empty() ? line : first;
    if (tells_an_error(line)) {
      first = line;
      break;
    }
  }
  return printable_line(normalised(first), kMaxBytes);
}

}  // namespace stitch::agents
