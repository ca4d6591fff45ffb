// SPDX-License-Identifier: Apache-2.0
#include "rubric/source/count_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace stitch::rubric {
namespace {

using Tokens = std::vector<Token>;

constexpr int kMaxTold = 16;

struct Rule {
  std::string name;
  bool is_device = false;
  std::vector<std::string> words;
};

std::vector<std::string> split_words(const char* text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

const std::vector<Rule>& rules() {
#define STITCH_FEATURE(name, where, words) {#name, std::string(#where) == "device", split_words(words)},
  static const std::vector<Rule> all = {
#include "rubric/source/features.def"
  };
#undef STITCH_FEATURE
  return all;
}

bool is_of(const Rule& rule, const Token& token) {
  return token.kind == Token::Kind::kWord &&
         std::any_of(rule.words.begin(), rule.words.end(), [&](const std::string& each) {
           return each.ends_with('*') ? token.text.starts_with(std::string_view(each).substr(0, each.size() - 1))
                                      : each == token.text;
         });
}

const Rule& vectors() {
  static const Rule& rule =
      *std::find_if(rules().begin(), rules().end(), [](const Rule& each) { return each.name == "vector_access"; });
  return rule;
}

bool has_static_storage(const Tokens& body, size_t at) {
  if (!body[at].is("static")) {
    return true;
  }
  const bool is_constant = at + 1 < body.size() && (body[at + 1].is("const") || body[at + 1].is("constexpr"));
  return !is_constant || (at + 3 < body.size() && body[at + 3].is("*"));
}

// Past the arguments of a template that begin at `at`; `at` itself where none do.
size_t past_arguments(const Tokens& tokens, size_t at) {
  constexpr size_t kMaxTokens = 64;
  int depth = 0;
  for (size_t i = at; i < std::min(tokens.size(), at + kMaxTokens); ++i) {
    depth += tokens[i].is("<") ? 1 : tokens[i].is(">") ? -1 : 0;
    if (depth == 0) {
      return tokens[i].is(">") ? i + 1 : at;
    }
  }
  return at;
}

// A wide type moves memory where something points at it, or where it is what a template is to move: `load<float4>(x)`.
// A variable of the type alone lies in registers.
bool is_access(const Tokens& tokens, size_t at) {
  size_t next = past_arguments(tokens, at + 1);
  while (is_at(tokens, next, "const") || is_at(tokens, next, "volatile")) {
    ++next;
  }
  const bool is_argument = at > 0 && (tokens[at - 1].is("<") || tokens[at - 1].is(",")) && is_at(tokens, next, ">");
  return is_at(tokens, next, "*") || (is_argument && is_at(tokens, next + 1, "("));
}

std::map<std::string, int> counts_of(const Tokens& body) {
  std::map<std::string, int> counts;
  for (const Token& token : body) {
    counts[token.text] += token.kind == Token::Kind::kWord ? 1 : 0;
  }
  return counts;
}

// A statement of its own, cast to void, or kept in a variable that is never named again.
bool goes_nowhere(const Tokens& body, const std::map<std::string, int>& counts, size_t at) {
  if (at == 0 || body[at - 1].is(";") || body[at - 1].is("{") || body[at - 1].is("}")) {
    return true;
  }
  if (at >= 3 && body[at - 1].is(")") && body[at - 2].is("void") && body[at - 3].is("(")) {
    return true;
  }
  const bool begins_a_value = at >= 3 && body[at - 1].is("=") && body[at - 2].kind == Token::Kind::kWord &&
                              body[at - 3].kind == Token::Kind::kWord;  // `float x = __shfl...`
  return begins_a_value && counts.at(body[at - 2].text) == 1;
}

void add(const Function& function, const std::string& name, int line, std::vector<SourceFeature>& features) {
  const auto found = std::find_if(features.begin(), features.end(), [&](const auto& f) { return f.name == name; });
  SourceFeature& entry = found != features.end()
                             ? *found
                             : features.emplace_back(SourceFeature{name, 0, fmt::format("{}:{}", function.file, line)});
  ++entry.count;
}

void count_accesses(const Function& function, const Tokens& tokens, const std::set<std::string>& wide_types,
                    SourceFacts& facts) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool is_wide =
        is_of(vectors(), tokens[i]) || (tokens[i].kind == Token::Kind::kWord && wide_types.contains(tokens[i].text));
    if (is_wide && is_access(tokens, i)) {
      add(function, vectors().name, tokens[i].line, facts.features);
    }
  }
}

// `using Four = float4;` and `typedef float4 Four;` at `at`: the new name, or nothing.
std::string other_name(const Tokens& tokens, size_t at) {
  const bool is_using = tokens[at].is("using") && at + 3 < tokens.size() && tokens[at + 2].is("=");
  const bool is_typedef = tokens[at].is("typedef") && at + 3 < tokens.size() && tokens[at + 3].is(";");
  if (is_using && is_of(vectors(), tokens[at + 3])) {
    return tokens[at + 1].text;
  }
  return is_typedef && is_of(vectors(), tokens[at + 1]) ? tokens[at + 2].text : "";
}

// `struct alignas(16) Four`: its name, or nothing.
std::string aligned_struct(const Tokens& tokens, size_t at) {
  constexpr size_t kMaxTokens = 32;  // of the alignment
  const bool is_aligned =
      tokens[at].is("struct") && (is_at(tokens, at + 1, "alignas") || is_at(tokens, at + 1, "__align__"));
  int depth = 0;
  for (size_t i = at + 2; is_aligned && i < std::min(tokens.size(), at + kMaxTokens); ++i) {
    depth += tokens[i].is("(") ? 1 : tokens[i].is(")") ? -1 : 0;
    if (depth == 0) {
      return i + 1 < tokens.size() && tokens[i + 1].kind == Token::Kind::kWord ? tokens[i + 1].text : "";
    }
  }
  return "";
}

}  // namespace

std::set<std::string> wide_types_of(const Tokens& tokens) {
  std::set<std::string> types;
  for (size_t i = 0; i < tokens.size(); ++i) {
    for (const std::string& name : {other_name(tokens, i), aligned_struct(tokens, i)}) {
      if (!name.empty()) {
        types.insert(name);
      }
    }
  }
  return types;
}

void count_features(const Function& function, const std::set<std::string>& wide_types, SourceFacts& facts) {
  if (function.is_device) {
    count_accesses(function, function.parameters, wide_types, facts);
    count_accesses(function, function.body, wide_types, facts);
  }
  const std::map<std::string, int> counts =
      function.is_device ? counts_of(function.body) : std::map<std::string, int>();
  for (const Rule& rule : rules()) {
    if (rule.is_device != function.is_device || &rule == &vectors()) {
      continue;
    }
    for (size_t i = 0; i < function.body.size(); ++i) {
      const Token& token = function.body[i];
      if (!is_of(rule, token) || (rule.name == "mutable_static" && !has_static_storage(function.body, i))) {
        continue;
      }
      if (rule.name == "warp_shuffle" && goes_nowhere(function.body, counts, i)) {
        if (++facts.idle_shuffles <= kMaxTold) {
          facts.idle.push_back(
              fmt::format("the result of {} at {}:{} goes nowhere", token.text, function.file, token.line));
        }
        continue;
      }
      add(function, rule.name, token.line, facts.features);
    }
  }
}

}  // namespace stitch::rubric
