// SPDX-License-Identifier: Apache-2.0
#include "rubric/source/functions.h"

#include <algorithm>
#include <map>

#include "rubric/source/brackets.h"
#include "rubric/source/live_body.h"

namespace stitch::rubric {
namespace {

using Tokens = std::vector<Token>;

// Beyond these no program goes, and a text made to go there must neither exhaust the stack nor take for ever.
constexpr int kMaxNesting = 64;               // of namespaces and structs
constexpr size_t kMaxHeaderTokens = 4096;     // tokens before a brace
constexpr size_t kMaxDeclaratorTokens = 256;  // tokens between a function's parameters and its body

const std::set<std::string>& no_names() {
  static const std::set<std::string> words = {"if",
                                              "for",
                                              "while",
                                              "switch",
                                              "catch",
                                              "return",
                                              "sizeof",
                                              "alignof",
                                              "decltype",
                                              "alignas",
                                              "noexcept",
                                              "requires",
                                              "static_assert",
                                              "__launch_bounds__",
                                              "__attribute__",
                                              "constexpr"};
  return words;
}

Tokens slice(const Tokens& tokens, size_t from, size_t to) {
  return {tokens.begin() + static_cast<int64_t>(from), tokens.begin() + static_cast<int64_t>(std::max(from, to))};
}

class Scanner {
 public:
  Scanner(const Tokens& tokens, std::string file) : tokens_(tokens), brackets_(tokens), file_(std::move(file)) {}

  std::vector<Function> scan() {
    scan(0, tokens_.size(), "");
    return std::move(functions_);
  }

 private:
  // Declarations between two places: those of a namespace, or of a struct named `owner`.
  void scan(size_t from, size_t to, const std::string& owner) {
    size_t start = from;  // of the declaration
    for (size_t at = from; at < to;) {
      const Token& token = tokens_[at];
      if (token.kind == Token::Kind::kDirective) {
        take_macro(token);
        start = ++at;
      } else if (token.is(";") || token.is("}") || (token.is(":") && at > start && is_access(tokens_[at - 1]))) {
        start = ++at;
      } else if (token.is("(")) {
        at = after_parentheses(start, at, owner);
        start = at > 0 && tokens_[at - 1].is("}") ? at : start;
      } else if (token.is("{")) {
        at = after_brace(start, at, owner);
        start = at;
      } else {
        ++at;
      }
    }
  }

  static bool is_access(const Token& token) {
    return token.is("public") || token.is("private") || token.is("protected");
  }

  // `namespace x {`, `struct x : y {`: what is inside declares; anything else is a value.
  size_t after_brace(size_t start, size_t open, const std::string& owner) {
    const size_t close = brackets_.closing(open);
    std::string name = owner;
    bool declares = false;
    if (open - start > kMaxHeaderTokens) {
      return close + 1;
    }
    for (size_t i = start; i < open; ++i) {
      const Token& token = tokens_[i];
      if (token.is("namespace") || token.is("extern")) {
        declares = true;
      } else if ((token.is("struct") || token.is("class") || token.is("union")) &&
                 !(i > start && is_in_template(start, i))) {
        declares = true;
        name = i + 1 < open ? tokens_[i + 1].text : "";
      } else if (token.is("enum") || token.is("=")) {
        return close + 1;
      }
    }
    if (declares && depth_ < kMaxNesting) {
      ++depth_;
      scan(open + 1, close, name);
      --depth_;
    }
    return close + 1;
  }

  bool is_in_template(size_t start, size_t at) const {
    int depth = 0;
    for (size_t i = start; i < at; ++i) {
      depth += tokens_[i].is("<") ? 1 : tokens_[i].is(">") ? -1 : 0;
    }
    return depth > 0;
  }

  // Past the function whose parameters `open` begins; past the parentheses where it is none.
  size_t after_parentheses(size_t start, size_t open, const std::string& owner) {
    const size_t close = brackets_.closing(open);
    const std::string name = name_before(start, open);
    const size_t body = name.empty() ? 0 : body_after(close);
    if (body == 0 || open - start > kMaxHeaderTokens) {
      return close + 1;
    }
    Function function;
    function.name = name;
    function.owner = owner;
    function.file = file_;
    function.line = tokens_[open].line;
    for (size_t i = start; i < open; ++i) {
      function.is_kernel = function.is_kernel || tokens_[i].is("__global__");
      function.is_device = function.is_device || tokens_[i].is("__global__") || tokens_[i].is("__device__");
    }
    function.parameters = slice(tokens_, open + 1, close);
    const size_t end = brackets_.closing(body);
    function.body = live_body(slice(tokens_, body + 1, end));
    functions_.push_back(std::move(function));
    return end + 1;
  }

  std::string name_before(size_t start, size_t open) const {
    for (size_t i = open; i-- > start && open - i < 4;) {
      if (tokens_[i].is("operator")) {
        return "operator";
      }
    }
    const bool follows_word = open > start && tokens_[open - 1].kind == Token::Kind::kWord;
    return follows_word && !no_names().contains(tokens_[open - 1].text) ? tokens_[open - 1].text : "";
  }

  // The brace of a function's body behind its parameters: 0 where there is none.
  size_t body_after(size_t close) const {
    bool has_initialisers = false;
    const size_t last = std::min(tokens_.size(), close + kMaxDeclaratorTokens);
    for (size_t i = close + 1; i < last; ++i) {
      const Token& token = tokens_[i];
      if (token.is("{")) {
        const bool initialises = has_initialisers && tokens_[i - 1].kind == Token::Kind::kWord;
        if (!initialises) {
          return i;
        }
        i = brackets_.closing(i);
      } else if (token.is(";") || token.is("=") || token.is("}") || token.is(",") || token.is(")")) {
        if (!(token.is(",") && has_initialisers)) {
          return 0;
        }
      } else if (token.is("(")) {
        if (!has_initialisers && !tokens_[i - 1].is("operator") && tokens_[i - 1].kind == Token::Kind::kWord &&
            !no_names().contains(tokens_[i - 1].text)) {
          return 0;  // the parentheses before were an attribute's: this is the function
        }
        i = brackets_.closing(i);
      } else if (token.is(":")) {
        has_initialisers = true;
      }
    }
    return 0;
  }

  void take_macro(const Token& directive) {
    const Tokens words = tokens_of(directive.text.substr(directive.text.find('#') + 1));
    if (words.size() < 3 || !words[0].is("define")) {
      return;
    }
    Function macro;
    macro.name = words[1].text;
    macro.file = file_;
    macro.line = directive.line;
    macro.is_device = true;
    macro.body = live_body(slice(words, 2, words.size()));
    functions_.push_back(std::move(macro));
  }

  const Tokens& tokens_;
  Brackets brackets_;
  std::string file_;
  int depth_ = 0;
  std::vector<Function> functions_;
};

}  // namespace

std::vector<Function> functions_of(const std::vector<Token>& tokens, const std::string& file) {
  return Scanner(tokens, file).scan();
}

std::vector<const Function*> reached_from(const std::vector<const Function*>& roots,
                                          const std::vector<Function>& functions) {
  std::multimap<std::string, const Function*> by_name;
  for (const Function& function : functions) {
    by_name.emplace(function.name, &function);
    if (!function.owner.empty()) {
      by_name.emplace(function.owner, &function);
    }
  }
  std::set<const Function*> seen(roots.begin(), roots.end());
  std::set<std::string> followed;
  std::vector<const Function*> reached = roots;
  for (size_t i = 0; i < reached.size(); ++i) {
    const Function* from = reached[i];
    for (const std::vector<Token>* part : {&from->parameters, &from->body}) {
      for (const Token& token : *part) {
        if (token.kind != Token::Kind::kWord || !followed.insert(token.text).second) {
          continue;
        }
        const auto [first, last] = by_name.equal_range(token.text);
        for (auto found = first; found != last; ++found) {
          if (seen.insert(found->second).second) {
            reached.push_back(found->second);
          }
        }
      }
    }
  }
  return reached;
}

}  // namespace stitch::rubric
