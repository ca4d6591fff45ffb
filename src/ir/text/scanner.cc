// SPDX-License-Identifier: Apache-2.0
#include "ir/text/scanner.h"

#include <fmt/format.h>

#include <cctype>

namespace stitch::ir {
namespace {

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' || c == '+';
}

bool is_identifier_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

void Scanner::skip_blanks() {
  while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t' || rest_.front() == '\r')) {
    rest_.remove_prefix(1);
  }
}

Unexpected Scanner::unexpected(const std::string& wanted) {
  skip_blanks();
  return failure(ErrorCode::kFileInvalid, rest_.empty()
                                              ? fmt::format("{} is missing at the end of the line", wanted)
                                              : fmt::format("expected {} before \"{}\"", wanted, rest_.substr(0, 20)));
}

bool Scanner::at_end() {
  skip_blanks();
  return rest_.empty();
}

bool Scanner::next_is(char expected) {
  skip_blanks();
  return !rest_.empty() && rest_.front() == expected;
}

bool Scanner::accept(char expected) {
  if (!next_is(expected)) {
    return false;
  }
  rest_.remove_prefix(1);
  return true;
}

Result<void> Scanner::expect(char expected) {
  if (!accept(expected)) {
    return unexpected(fmt::format("'{}'", expected));
  }
  return {};
}

Result<void> Scanner::expect_end() {
  if (!at_end()) {
    return unexpected("the end of the line");
  }
  return {};
}

Result<std::string> Scanner::identifier() {
  skip_blanks();
  size_t length = 0;
  while (length < rest_.size() && is_identifier_character(rest_[length])) {
    ++length;
  }
  if (length == 0 || std::isdigit(static_cast<unsigned char>(rest_.front())) != 0) {
    return unexpected("a name");
  }
  std::string name(rest_.substr(0, length));
  rest_.remove_prefix(length);
  return name;
}

Result<std::string> Scanner::word() {
  skip_blanks();
  size_t length = 0;
  while (length < rest_.size() && is_word_character(rest_[length])) {
    ++length;
  }
  if (length == 0) {
    return unexpected("a name or a number");
  }
  std::string token(rest_.substr(0, length));
  rest_.remove_prefix(length);
  return token;
}

Result<std::string> Scanner::quoted() {
  STITCH_TRY(expect('"'));
  std::string text;
  while (!rest_.empty() && rest_.front() != '"') {
    if (rest_.front() == '\\' && rest_.size() > 1) {
      rest_.remove_prefix(1);
    }
    text += rest_.front();
    rest_.remove_prefix(1);
  }
  STITCH_TRY(expect('"'));
  return text;
}

std::string Scanner::remainder() {
  skip_blanks();
  std::string_view text = rest_;
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  rest_ = {};
  return std::string(text);
}

}  // namespace stitch::ir
