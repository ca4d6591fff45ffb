// SPDX-License-Identifier: Apache-2.0
#include "codegen/print/code_tokens.h"

#include <array>
#include <cctype>
#include <string_view>

namespace stitch::codegen {
namespace {

struct Spelling {
  const char* text;
  Precedence precedence;
};
constexpr std::array<Spelling, 19> kOperators = {{{",", Precedence::kComma},
                                                  {"=", Precedence::kAssignment},
                                                  {"+=", Precedence::kAssignment},
                                                  {"?", Precedence::kConditional},
                                                  {":", Precedence::kConditional},
                                                  {"||", Precedence::kLogicalOr},
                                                  {"&&", Precedence::kLogicalAnd},
                                                  {"|", Precedence::kBitOr},
                                                  {"^", Precedence::kBitXor},
                                                  {"&", Precedence::kBitAnd},
                                                  {"==", Precedence::kEquality},
                                                  {"!=", Precedence::kEquality},
                                                  {"<=", Precedence::kRelational},
                                                  {">=", Precedence::kRelational},
                                                  {"+", Precedence::kAdditive},
                                                  {"-", Precedence::kAdditive},
                                                  {"*", Precedence::kMultiplicative},
                                                  {"/", Precedence::kMultiplicative},
                                                  {"%", Precedence::kMultiplicative}}};

// Of a word that stands between blanks; `<` and `>` without them are brackets.
Precedence precedence_of(const std::string& word) {
  if (word == "<" || word == ">") {
    return Precedence::kRelational;
  }
  for (const Spelling& spelling : kOperators) {
    if (word == spelling.text) {
      return spelling.precedence;
    }
  }
  return Precedence::kNone;
}

bool is_bracket(char letter) { return std::string_view("()[]{}<>").find(letter) != std::string_view::npos; }

// The first word of `text`, which has no blanks: a bracket, a comma, or what stands before the next of them.
size_t word_length(std::string_view text) {
  if (text.rfind("operator()", 0) == 0) {
    return std::string_view("operator()").size();
  }
  if (text.rfind("/*", 0) == 0) {
    return text.find("*/") + 2;
  }
  if (text[0] == '"') {
    return text.find('"', 1) + 1;
  }
  if (is_bracket(text[0]) || text[0] == ',' || text[0] == ';') {
    return 1;
  }
  size_t end = text.find_first_of("()[]{}<>,;");
  while (end != std::string_view::npos && text[end] == '>' && text[end - 1] == '-') {  // "args->scratch"
    end = text.find_first_of("()[]{}<>,;", end + 1);
  }
  return end == std::string_view::npos ? text.size() : end;
}

std::vector<CodeToken> words(const std::string& line) {
  std::vector<CodeToken> tokens;
  bool follows_blank = false;
  for (size_t at = 0; at < line.size();) {
    if (line[at] == ' ') {
      follows_blank = true;
      ++at;
      continue;
    }
    const size_t blank = std::min(line.find(' ', at), line.size());
    CodeToken token;
    token.follows_blank = follows_blank;
    const std::string between_blanks = line.substr(at, blank - at);
    if (follows_blank && precedence_of(between_blanks) > Precedence::kComma) {
      token.text = between_blanks;
      token.precedence = precedence_of(between_blanks);
    } else {
      token.text = between_blanks.substr(0, word_length(between_blanks));
      token.precedence = token.text == "," ? Precedence::kComma : Precedence::kNone;
      const bool is_single = token.text.size() == 1;
      token.opens = is_single && std::string_view("([{<").find(token.text[0]) != std::string_view::npos;
      token.closes = is_single && std::string_view(")]}>").find(token.text[0]) != std::string_view::npos;
    }
    at += token.text.size();
    follows_blank = false;
    tokens.push_back(std::move(token));
  }
  return tokens;
}

void match_brackets(std::vector<CodeToken>& tokens) {
  std::vector<size_t> open;
  std::vector<int> strengths = {1};
  for (size_t i = 0; i < tokens.size(); ++i) {
    CodeToken& token = tokens[i];
    token.nesting = static_cast<int>(open.size());
    token.strength = strengths.back();
    if (token.opens) {
      open.push_back(i);
      constexpr int kTight = 10;
      strengths.push_back(strengths.back() + (token.text == "[" || token.text == "<" ? kTight : 1));
    } else if (token.closes && !open.empty()) {
      CodeToken& opening = tokens[open.back()];
      opening.partner = i;
      opening.arguments += i > open.back() + 1 ? 1 : 0;
      open.pop_back();
      strengths.pop_back();
    } else if (token.text == "," && !open.empty()) {
      ++tokens[open.back()].arguments;
    }
  }
}

// Finds operands of operators of each level, as clang-format's parser of expressions does.
class OperandParser {
 public:
  explicit OperandParser(std::vector<CodeToken>& tokens) : tokens_(tokens) {}
  void parse() {
    while (!at_end()) {
      parse(Precedence::kNone);
      ++at_;
    }
  }

 private:
  bool at_end() const { return at_ >= tokens_.size(); }
  static Precedence after(Precedence level) { return static_cast<Precedence>(static_cast<int>(level) + 1); }

  void enclose(size_t start, Precedence level) {
    CodeToken& first = tokens_[start];
    first.starts.insert(first.starts.begin(), level);
    ++tokens_[at_ - 1].ends;
    tokens_[at_ - 1].ends_operation = tokens_[at_ - 1].ends_operation || level > Precedence::kNone;
  }

  void skip_brackets() {
    while (!at_end() && !tokens_[at_].closes) {
      ++at_;
      parse(Precedence::kNone);
    }
    ++at_;
  }

  void parse(Precedence level) {
    while (!at_end() && tokens_[at_].text == "return") {
      ++at_;
    }
    if (at_end() || level > Precedence::kMultiplicative) {
      return;
    }
    if (level == Precedence::kConditional) {
      parse_conditional();
      return;
    }
    const size_t start = at_;
    size_t latest = tokens_.size();
    while (!at_end()) {
      parse(after(level));
      if (at_end() || tokens_[at_].closes || tokens_[at_].text == ";" || ends_level(level)) {
        break;
      }
      if (tokens_[at_].opens) {
        skip_brackets();
        continue;
      }
      if (tokens_[at_].precedence == level && level != Precedence::kNone) {
        tokens_[at_].is_first_operator = latest == tokens_.size();
        if (latest < tokens_.size()) {
          tokens_[latest].has_next_operator = true;
        }
        latest = at_;
      }
      ++at_;
    }
    if (latest < tokens_.size()) {
      enclose(start, level);
    }
  }

  bool ends_level(Precedence level) const {
    const Precedence here = tokens_[at_].precedence;
    const bool ends_choice = level == Precedence::kAssignment && tokens_[at_].text == ":";
    return ends_choice || (here != Precedence::kNone && here < level);
  }

  void parse_conditional() {
    const size_t start = at_;
    parse(Precedence::kLogicalOr);
    if (at_end() || tokens_[at_].text != "?") {
      return;
    }
    ++at_;
    parse(Precedence::kAssignment);
    if (at_end() || tokens_[at_].text != ":") {
      return;
    }
    ++at_;
    parse(Precedence::kAssignment);
    enclose(start, Precedence::kConditional);
  }

  std::vector<CodeToken>& tokens_;
  size_t at_ = 0;
};

bool can_break(const CodeToken& left, const CodeToken& right) {
  if (right.precedence == Precedence::kConditional) {
    return true;
  }
  if (left.precedence == Precedence::kConditional) {
    return false;
  }
  return left.precedence != Precedence::kNone || (left.opens && left.text != "[" && !right.closes) ||
         (left.text == ")" && right.text == "const");
}

// The numbers are clang-format's, in Google's style.
int own_penalty(const CodeToken& left, const CodeToken& right, bool is_signature) {
  if (left.text == ")" && right.text == "const") {
    return 150;
  }
  if (left.text == "(" && is_signature) {
    return 100;
  }
  if (left.text == "=" && right.text == "{") {
    return 160;
  }
  if (left.text == "<") {
    return 100;
  }
  if (left.opens) {
    return left.arguments > 1 ? 1 : 19;
  }
  if (right.precedence == Precedence::kConditional) {
    return static_cast<int>(Precedence::kConditional);
  }
  return static_cast<int>(left.precedence);
}

}  // namespace

std::vector<CodeToken> code_tokens(const std::string& line, bool is_signature) {
  constexpr int kPenaltyPerStrength = 20;
  std::vector<CodeToken> tokens = words(line);
  match_brackets(tokens);
  OperandParser(tokens).parse();
  for (size_t i = 1; i < tokens.size(); ++i) {
    tokens[i].can_break_before = can_break(tokens[i - 1], tokens[i]);
    tokens[i].penalty = kPenaltyPerStrength * tokens[i].strength + own_penalty(tokens[i - 1], tokens[i], is_signature);
  }
  return tokens;
}

}  // namespace stitch::codegen
