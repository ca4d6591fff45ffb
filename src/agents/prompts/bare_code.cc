// SPDX-License-Identifier: Apache-2.0
#include "agents/prompts/bare_code.h"

#include <algorithm>

namespace stitch::agents {
namespace {

bool is_declaration(std::string_view comment) {
  comment.remove_prefix(2);
  const size_t word = std::min(comment.find_first_not_of(' '), comment.size());
  return comment.substr(word).starts_with("scratch:") || comment.substr(word).starts_with("sizes:");
}

// Where the literal that begins at `at` ends: behind its closing quote, or at the end of the line.
size_t literal_end(std::string_view text, size_t at) {
  const char quote = text[at];
  for (size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    }
  }
  return std::min(text.find('\n', at), text.size());
}

// Between digits (1'000) it is no quote.
bool opens_literal(std::string_view text, size_t at) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return text[at] == '"' || (text[at] == '\'' && (at == 0 || !is_digit(text[at - 1])));
}

std::string without_comments(std::string_view text) {
  std::string bare;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (opens_literal(text, at)) {
      const size_t end = literal_end(text, at);
      bare += text.substr(at, end - at);
      at = end;
    } else if (rest.starts_with("//")) {
      const size_t end = std::min(text.find('\n', at), text.size());
      bare += is_declaration(text.substr(at, end - at)) ? text.substr(at, end - at) : "";
      at = end;
    } else if (rest.starts_with("/*")) {
      const size_t end = text.find("*/", at + 2);
      bare += ' ';
      at = end == text.npos ? text.size() : end + 2;
    } else {
      bare += text[at++];
    }
  }
  return bare;
}

}  // namespace

std::string bare_code(std::string_view text) {
  const std::string bare = without_comments(text);
  std::string lines;
  for (size_t at = 0; at < bare.size();) {
    const size_t end = std::min(bare.find('\n', at), bare.size());
    const std::string_view line = std::string_view(bare).substr(at, end - at);
    const size_t last = line.find_last_not_of(" \t\r");
    if (last != line.npos) {
      lines += line.substr(0, last + 1);
      lines += '\n';
    }
    at = end + 1;
  }
  return lines;
}

}  // namespace stitch::agents
