// SPDX-License-Identifier: Apache-2.0
#include "rewriter/tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace stitch::rewriter {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

// Longest first. `<<` and `>>` are left as single characters: they may open and close template lists and launches.
constexpr std::array<std::string_view, 16> kOperators = {
    "<=>", "...", "->", "::", "<=", ">=", "==", "!=", "&&", "||", "##", "+=", "-=", "*=", "/=", "|="};

class Scanner {
 public:
  explicit Scanner(std::string_view source) : source_(source) { list_.source = source; }

  TokenList scan() {
    while (position_ < source_.size()) {
      scan_one();
    }
    end_directive(source_.size());
    return std::move(list_);
  }

 private:
  char at(size_t offset) const { return position_ + offset < source_.size() ? source_[position_ + offset] : '\0'; }

  void scan_one() {
    const char c = source_[position_];
    if (c == '\n') {
      end_directive(position_);
      ++line_;
      ++position_;
      line_begins_ = true;
    } else if (c == '\\' && (at(1) == '\n' || (at(1) == '\r' && at(2) == '\n'))) {
      position_ += at(1) == '\n' ? 2 : 3;
      ++line_;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++position_;
    } else if (c == '/' && at(1) == '/') {
      skip_line_comment();
    } else if (c == '/' && at(1) == '*') {
      skip_block_comment();
    } else if (c == '#' && line_begins_ && directive_ < 0) {
      begin_directive();
    } else {
      line_begins_ = false;
      scan_token(c);
    }
  }

  void skip_line_comment() {
    while (position_ < source_.size() && source_[position_] != '\n') {
      if (source_[position_] == '\\' && at(1) == '\n') {
        ++line_;
        ++position_;
      }
      ++position_;
    }
  }

  void skip_block_comment() {
    position_ += 2;
    while (position_ < source_.size() && !(source_[position_] == '*' && at(1) == '/')) {
      line_ += source_[position_] == '\n';
      ++position_;
    }
    position_ = std::min(position_ + 2, source_.size());
  }

  void begin_directive() {
    line_begins_ = false;
    directive_ = static_cast<int>(list_.directives.size());
    list_.directives.push_back({position_, position_, line_, list_.tokens.size(), list_.tokens.size()});
    ++position_;
  }

  void end_directive(size_t end) {
    if (directive_ >= 0) {
      list_.directives.back().end = end;
      list_.directives.back().last = list_.tokens.size();
      directive_ = -1;
    }
  }

  void scan_token(char c) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
        (c == '.' && std::isdigit(static_cast<unsigned char>(at(1))) != 0)) {
      scan_number();
    } else if (is_word(c)) {
      scan_word();
    } else if (c == '"') {
      add(TokenKind::kString, quoted_end(position_, '"'));
    } else if (c == '\'') {
      add(TokenKind::kCharacter, quoted_end(position_, '\''));
    } else {
      scan_operator();
    }
  }

  void scan_number() {
    size_t end = position_ + 1;
    while (end < source_.size()) {
      const char c = source_[end];
      const char before = static_cast<char>(std::tolower(static_cast<unsigned char>(source_[end - 1])));
      const bool sign = (c == '+' || c == '-') && (before == 'e' || before == 'p');
      const bool separator = c == '\'' && end + 1 < source_.size() && is_word(source_[end + 1]);
      if (!is_word(c) && c != '.' && !sign && !separator) {
        break;
      }
      ++end;
    }
    add(TokenKind::kNumber, end);
  }

  // An identifier, or the prefix of a string or character.
  void scan_word() {
    size_t end = position_ + 1;
    while (end < source_.size() && is_word(source_[end])) {
      ++end;
    }
    const std::string_view word = source_.substr(position_, end - position_);
    const char next = end < source_.size() ? source_[end] : '\0';
    if (next == '"' && (word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R")) {
      add(TokenKind::kString, raw_end(end));
    } else if ((next == '"' || next == '\'') && (word == "L" || word == "u" || word == "U" || word == "u8")) {
      add(next == '"' ? TokenKind::kString : TokenKind::kCharacter, quoted_end(end, next));
    } else {
      add(TokenKind::kIdentifier, end);
    }
  }

  void scan_operator() {
    for (const std::string_view text : kOperators) {
      if (source_.substr(position_, text.size()) == text) {
        add(TokenKind::kPunctuation, position_ + text.size());
        return;
      }
    }
    add(TokenKind::kPunctuation, position_ + 1);
  }

  size_t quoted_end(size_t quote, char mark) const {
    size_t end = quote + 1;
    while (end < source_.size() && source_[end] != mark && source_[end] != '\n') {
      end += source_[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, source_.size());
  }

  size_t raw_end(size_t quote) const {
    const size_t open = source_.find('(', quote);
    if (open == std::string_view::npos) {
      return source_.size();
    }
    const std::string close = ")" + std::string(source_.substr(quote + 1, open - quote - 1)) + "\"";
    const size_t end = source_.find(close, open);
    return end == std::string_view::npos ? source_.size() : end + close.size();
  }

  void add(TokenKind kind, size_t end) {
    const std::string_view text = source_.substr(position_, end - position_);
    list_.tokens.push_back({kind, position_, end, line_, directive_, text});
    for (const char c : text) {
      line_ += c == '\n';
    }
    position_ = end;
  }

  std::string_view source_;
  TokenList list_;
  size_t position_ = 0;
  int line_ = 1;
  int directive_ = -1;
  bool line_begins_ = true;
};

int nesting(const Token& token) {
  if (token.kind != TokenKind::kPunctuation) {
    return 0;
  }
  const char c = token.text[0];
  return c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
}

}  // namespace

TokenList tokenise(std::string_view source) { return Scanner(source).scan(); }

size_t closing(const std::vector<Token>& tokens, size_t open) {
  int depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].directive != tokens[open].directive) {
      continue;
    }
    depth += nesting(tokens[i]);
    if (depth == 0) {
      return i;
    }
  }
  return tokens.size();
}

size_t opening(const std::vector<Token>& tokens, size_t close) {
  int depth = 0;
  for (size_t i = close + 1; i-- > 0;) {
    if (tokens[i].directive != tokens[close].directive) {
      continue;
    }
    depth += nesting(tokens[i]);
    if (depth == 0) {
      return i;
    }
  }
  return tokens.size();
}

size_t closing_angle(const std::vector<Token>& tokens, size_t open) {
  int depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    if (nesting(tokens[i]) > 0) {
      i = closing(tokens, i);
    } else if (tokens[i].is("<")) {
      ++depth;
    } else if (tokens[i].is(">") && --depth == 0) {
      return i;
    } else if (tokens[i].is(";") || nesting(tokens[i]) < 0) {
      break;
    }
  }
  return tokens.size();
}

size_t opening_angle(const std::vector<Token>& tokens, size_t close) {
  int depth = 0;
  for (size_t i = close + 1; i-- > 0;) {
    if (nesting(tokens[i]) < 0) {
      i = opening(tokens, i);
      if (i == tokens.size()) {
        break;
      }
    } else if (tokens[i].is(">")) {
      ++depth;
    } else if (tokens[i].is("<") && --depth == 0) {
      return i;
    } else if (tokens[i].is(";")) {
      break;
    }
  }
  return tokens.size();
}

}  // namespace stitch::rewriter
