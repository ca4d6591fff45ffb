// SPDX-License-Identifier: Apache-2.0
#include "rubric/source/tokens.h"

#include <cctype>
#include <optional>

namespace stitch::rubric {
namespace {

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
constexpr size_t kMaxDelimiterLength = 16;  // of a raw string, by the standard
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  std::vector<Token> read() {
    while (at_ < text_.size()) {
      step();
    }
    return std::move(tokens_);
  }

 private:
  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }

  void advance() {
    if (now() == '\n') {
      ++line_;
      begins_line_ = true;
    }
    ++at_;
  }

  void step() {
    const char c = now();
    if (std::isspace(static_cast<unsigned char>(c)) != 0 || (c == '\\' && next() == '\n')) {
      const bool continues = c == '\\';
      advance();
      if (continues) {
        advance();
        begins_line_ = false;
      }
    } else if (c == '/' && (next() == '/' || next() == '*')) {
      skip_comment();
    } else if (c == '#' && begins_line_) {
      take_directive();
    } else {
      begins_line_ = false;
      take_token(c);
    }
  }

  void take_token(char c) {
    if (c == '"' || c == '\'') {
      take_text(c);
    } else if (begins_word(c)) {
      take_word();
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      take_number();
    } else {
      tokens_.push_back({Token::Kind::kSymbol, std::string(1, c), line_});
      advance();
    }
  }

  void skip_comment() {
    const bool is_line = next() == '/';
    at_ += 2;
    while (at_ < text_.size()) {
      if (is_line && now() == '\n' && text_[at_ - 1] != '\\') {
        return;
      }
      if (!is_line && now() == '*' && next() == '/') {
        at_ += 2;
        return;
      }
      advance();
    }
  }

  void take_directive() {
    const int line = line_;
    std::string text;
    while (at_ < text_.size() && now() != '\n') {
      if (now() == '\\' && next() == '\n') {
        at_ += 1;
        advance();
        text += ' ';
      } else if (now() == '/' && (next() == '/' || next() == '*')) {
        skip_comment();
        text += ' ';
      } else {
        text += now();
        ++at_;
      }
    }
    tokens_.push_back({Token::Kind::kDirective, text, line});
  }

  void take_text(char quote) {
    const int line = line_;
    std::string text;
    advance();
    while (at_ < text_.size() && now() != quote && now() != '\n') {
      if (now() == '\\') {
        text += now();
        advance();
      }
      text += now();
      advance();
    }
    advance();
    tokens_.push_back({Token::Kind::kText, text, line});
  }

  void take_raw_text() {
    const int line = line_;
    const size_t near = text_.substr(at_, kMaxDelimiterLength + 2).find('(');
    const size_t open = near == std::string::npos ? near : at_ + near;
    const std::string end = open == std::string::npos ? "\"" : ")" + text_.substr(at_ + 1, open - at_ - 1) + "\"";
    const size_t found = open == std::string::npos ? std::string::npos : text_.find(end, open);
    const size_t stop = found == std::string::npos ? text_.size() : found + end.size();
    const std::string text = text_.substr(at_, stop - at_);
    while (at_ < stop) {
      advance();
    }
    tokens_.push_back({Token::Kind::kText, text, line});
  }

  void take_word() {
    const size_t start = at_;
    while (is_word(now())) {
      ++at_;
    }
    const std::string word = text_.substr(start, at_ - start);
    if (now() == '"' && (word == "R" || word == "LR" || word == "u8R" || word == "uR" || word == "UR")) {
      take_raw_text();
      return;
    }
    tokens_.push_back({Token::Kind::kWord, word, line_});
  }

  void take_number() {
    const size_t start = at_;
    while (is_word(now()) || now() == '.' || (now() == '\'' && is_word(next())) ||
           ((now() == '+' || now() == '-') && std::string("eEpP").find(text_[at_ - 1]) != std::string::npos)) {
      ++at_;
    }
    tokens_.push_back({Token::Kind::kNumber, text_.substr(start, at_ - start), line_});
  }

  const std::string& text_;
  size_t at_ = 0;
  int line_ = 1;
  bool begins_line_ = true;
  std::vector<Token> tokens_;
};

std::vector<std::string> words_of(const std::string& directive) {
  std::vector<std::string> words;
  for (const Token& token : tokens_of(directive.substr(directive.find('#') + 1))) {
    words.push_back(token.text);
  }
  return words;
}

// What compilers, the toolkit and our own builds define.
bool may_be_given(const std::string& name, const std::set<std::string>& defined) {
  return defined.contains(name) || name.starts_with("_") || name.starts_with("STITCH_") || name.starts_with("CUDA") ||
         name.starts_with("CUDNN") || name.starts_with("CUBLAS");
}

// Whether a condition holds; nothing where that depends on what is not known here.
std::optional<bool> value_of(const std::vector<std::string>& words, const std::set<std::string>& defined) {
  const std::string kind = words.empty() ? "" : words[0];
  const std::string name = words.size() > 1 ? words[1] : "";
  if (kind == "ifdef" || kind == "ifndef") {
    return may_be_given(name, defined) ? std::nullopt : std::optional(kind == "ifndef");
  }
  if (words.size() == 2 && (name == "0" || name == "false")) {
    return false;
  }
  if (words.size() == 2 && (name == "1" || name == "true")) {
    return true;
  }
  const bool asks_defined = words.size() == 5 && name == "defined" && words[2] == "(";
  if (asks_defined && !may_be_given(words[3], defined)) {
    return false;
  }
  return std::nullopt;
}

struct Branch {
  bool was_live;              // around it
  std::optional<bool> taken;  // of the branches so far; nothing: one of them may have been
  bool is_live;
};

}  // namespace

bool is_at(const std::vector<Token>& tokens, size_t at, const char* text) {
  return at < tokens.size() && tokens[at].is(text);
}

std::vector<Token> tokens_of(const std::string& text) { return Reader(text).read(); }

std::set<std::string> defined_names(const std::vector<Token>& tokens) {
  std::set<std::string> names;
  for (const Token& token : tokens) {
    if (token.kind == Token::Kind::kDirective) {
      const std::vector<std::string> words = words_of(token.text);
      if (words.size() > 1 && words[0] == "define") {
        names.insert(words[1]);
      }
    }
  }
  return names;
}

std::vector<Token> without_left_out(const std::vector<Token>& tokens, const std::set<std::string>& defined) {
  std::vector<Token> kept;
  std::vector<Branch> open;
  const auto is_live = [&] { return open.empty() || open.back().is_live; };
  for (const Token& token : tokens) {
    const bool is_directive = token.kind == Token::Kind::kDirective;
    const std::vector<std::string> words = is_directive ? words_of(token.text) : std::vector<std::string>();
    const std::string kind = words.empty() ? "" : words[0];
    if (kind == "if" || kind == "ifdef" || kind == "ifndef") {
      const std::optional<bool> value = value_of(words, defined);
      open.push_back({is_live(), value, is_live() && value.value_or(true)});
    } else if (kind == "elif" && !open.empty()) {
      const std::optional<bool> value = value_of(words, defined);
      Branch& branch = open.back();
      branch.is_live = branch.was_live && branch.taken != true && value.value_or(true);
      branch.taken = branch.taken == true || value == true ? std::optional(true)
                     : branch.taken == false               ? value
                                                           : std::nullopt;
    } else if (kind == "else" && !open.empty()) {
      open.back().is_live = open.back().was_live && open.back().taken != true;
    } else if (kind == "endif" && !open.empty()) {
      open.pop_back();
    } else if (is_live()) {
      kept.push_back(token);
    }
  }
  return kept;
}

}  // namespace stitch::rubric
