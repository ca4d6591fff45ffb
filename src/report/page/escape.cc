// SPDX-License-Identifier: Apache-2.0
#include "report/page/escape.h"

#include <cctype>

#include "base/json/json.h"

namespace stitch::report {
namespace {

// Where `word` (lower case) stands next, whatever its case; npos when it does not.
size_t find_word(std::string_view text, std::string_view word, size_t from) {
  for (size_t at = from; at + word.size() <= text.size(); ++at) {
    size_t matched = 0;
    while (matched < word.size() &&
           std::tolower(static_cast<unsigned char>(text[at + matched])) == static_cast<unsigned char>(word[matched])) {
      ++matched;
    }
    if (matched == word.size()) {
      return at;
    }
  }
  return std::string_view::npos;
}

// Puts a backslash behind the first character of each `word`.
std::string break_words(std::string_view text, std::string_view word) {
  std::string broken;
  size_t from = 0;
  for (size_t at = find_word(text, word, 0); at != std::string_view::npos; at = find_word(text, word, at + 1)) {
    broken += text.substr(from, at + 1 - from);
    broken += '\\';
    from = at + 1;
  }
  return broken + std::string(text.substr(from));
}

}  // namespace

std::string escape_html(std::string_view text) {
  // The JSON writer knows what UTF-8 is; reading its text back gives the mended string.
  const std::string quoted = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string valid = Json::parse(quoted, nullptr, false).get<std::string>();
  std::string escaped;
  for (const char character : valid) {
    switch (character) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += character;
    }
  }
  return escaped;
}

std::string json_for_page(const Json& value) {
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string escaped;
  escaped.reserve(text.size() + text.size() / 16);
  for (const char character : text) {
    switch (character) {  // all three occur in strings alone
      case '<':
        escaped += "\\u003c";
        break;
      case '>':
        escaped += "\\u003e";
        break;
      case '&':
        escaped += "\\u0026";
        break;
      default:
        escaped += character;
    }
  }
  return escaped;
}

std::string script_for_page(std::string_view script) { return break_words(break_words(script, "</script"), "<!--"); }

}  // namespace stitch::report
