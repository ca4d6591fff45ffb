// SPDX-License-Identifier: Apache-2.0
#include "host/json_reader.h"

namespace stitch {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The value of a hexadecimal digit, or -1.
int hex_value(char c) {
  if (is_digit(c)) {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

void append_utf8(std::string* text, std::uint32_t code) {
  if (code < 0x80) {
    text->push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    text->push_back(static_cast<char>(0xc0 | code >> 6));
    text->push_back(static_cast<char>(0x80 | (code & 0x3f)));
  } else {
    text->push_back(static_cast<char>(0xe0 | code >> 12));
    text->push_back(static_cast<char>(0x80 | (code >> 6 & 0x3f)));
    text->push_back(static_cast<char>(0x80 | (code & 0x3f)));
  }
}

}  // namespace

bool JsonReader::fail() {
  failed_ = true;
  return false;
}

void JsonReader::skip_space() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
    ++at_;
  }
}

bool JsonReader::next_is(char mark) {
  skip_space();
  return !failed_ && at_ < text_.size() && text_[at_] == mark;
}

bool JsonReader::take(char mark) {
  if (!next_is(mark)) {
    return fail();
  }
  ++at_;
  return true;
}

bool JsonReader::at_end() {
  skip_space();
  return !failed_ && at_ == text_.size();
}

bool JsonReader::read_string(std::string* value) {
  value->clear();
  if (!take('"')) {
    return false;
  }
  while (at_ < text_.size()) {
    const char c = text_[at_++];
    if (c == '"') {
      return true;
    }
    if (static_cast<unsigned char>(c) < 0x20) {
      return fail();
    }
    if (c != '\\') {
      value->push_back(c);
    } else if (!read_escape(value)) {
      return false;
    }
  }
  return fail();
}

bool JsonReader::read_escape(std::string* value) {
  if (at_ >= text_.size()) {
    return fail();
  }
  const char c = text_[at_++];
  constexpr std::string_view kPlain = "\"\\/bfnrt";
  constexpr std::string_view kMeaning = "\"\\/\b\f\n\r\t";
  const std::size_t plain = kPlain.find(c);
  if (plain != std::string_view::npos) {
    value->push_back(kMeaning[plain]);
    return true;
  }
  if (c != 'u' || text_.size() - at_ < 4) {
    return fail();
  }
  std::uint32_t code = 0;
  for (int digit = 0; digit < 4; ++digit) {
    const int nibble = hex_value(text_[at_++]);
    if (nibble < 0) {
      return fail();
    }
    code = code << 4 | static_cast<std::uint32_t>(nibble);
  }
  append_utf8(value, code);
  return true;
}

bool JsonReader::read_count(std::int64_t* value) {
  skip_space();
  if (failed_ || at_ >= text_.size() || !is_digit(text_[at_])) {
    return fail();
  }
  *value = 0;
  while (at_ < text_.size() && is_digit(text_[at_])) {
    const int digit = text_[at_++] - '0';
    if (*value > (INT64_MAX - digit) / 10) {
      return fail();
    }
    *value = *value * 10 + digit;
  }
  return true;
}

bool JsonReader::skip_value() { return skip_nested(0); }

bool JsonReader::skip_nested(int depth) {
  if (depth > kDeepest) {
    return fail();
  }
  if (next_is('"')) {
    std::string ignored;
    return read_string(&ignored);
  }
  if (next_is('{')) {
    return skip_members('{', '}', depth);
  }
  if (next_is('[')) {
    return skip_members('[', ']', depth);
  }
  const std::size_t start = at_;
  constexpr std::string_view kEnds = ",]} \n\t\r";
  while (at_ < text_.size() && kEnds.find(text_[at_]) == std::string_view::npos) {
    ++at_;
  }
  return at_ > start ? true : fail();
}

bool JsonReader::skip_members(char open, char close, int depth) {
  if (!take(open)) {
    return false;
  }
  if (next_is(close)) {
    return take(close);
  }
  while (true) {
    std::string ignored;
    if (open == '{' && !(read_string(&ignored) && take(':'))) {
      return false;
    }
    if (!skip_nested(depth + 1)) {
      return false;
    }
    if (!next_is(',')) {
      return take(close);
    }
    take(',');
  }
}

}  // namespace stitch
