// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "rewriter/passes.h"

namespace stitch::rewriter {
namespace {

using Tokens = std::vector<Token>;

struct Declaration {
  size_t first;  // token indices, [first, last)
  size_t last;
  bool is_extern = false;
};

bool names_type_word(const Token& token) {
  for (const char* word :
       {"__shared__", "extern", "static", "alignas", "__align__", "__attribute__", "sizeof", "const", "volatile",
        "unsigned", "signed", "int", "float", "double", "char", "short", "long", "bool"}) {
    if (token.is(word)) {
      return true;
    }
  }
  return false;
}

// Joins source text of tokens [first, last) but for those `skip` names, on one line.
class Words {
 public:
  explicit Words(const TokenList& list) : list_(list) {}

  std::string text(size_t first, size_t last) const {
    std::string result;
    for (size_t i = first; i < last; ++i) {
      if (i > first && list_.tokens[i].begin > list_.tokens[i - 1].end) {
        result += ' ';
      }
      result += list_.tokens[i].text;
    }
    return result;
  }

  // The same without storage words, and without alignment when `keep_alignment` is false.
  std::string specifiers(size_t first, size_t last, bool keep_alignment) const {
    std::string result;
    for (size_t i = first; i < last; ++i) {
      const Token& token = list_.tokens[i];
      if (token.is("__shared__") || token.is("extern") || token.is("static")) {
        continue;
      }
      if (!keep_alignment && (token.is("alignas") || token.is("__align__") || token.is("__attribute__"))) {
        i = closing(list_.tokens, i + 1);
        continue;
      }
      if (!result.empty() && token.begin > list_.tokens[i - 1].end) {
        result += ' ';
      }
      result += token.text;
    }
    return result;
  }

 private:
  const TokenList& list_;
};

// The end of one declarator: the next comma outside brackets, or `last`.
size_t declarator_end(const Tokens& tokens, size_t from, size_t last) {
  for (size_t i = from; i < last; ++i) {
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) {
      i = closing(tokens, i);
    } else if (tokens[i].is("<")) {
      const size_t close = closing_angle(tokens, i);
      i = close < last ? close : i;
    } else if (tokens[i].is(",")) {
      return i;
    }
  }
  return last;
}

// The declared name in [from, end): the last identifier before an array bound or the end, or inside (*name).
size_t declared_name(const Tokens& tokens, size_t from, size_t end) {
  size_t name = tokens.size();
  for (size_t i = from; i < end; ++i) {
    const Token& token = tokens[i];
    if (token.is("alignas") || token.is("__align__") || token.is("__attribute__") || token.is("decltype")) {
      i = closing(tokens, i + 1);
    } else if (token.is("<")) {
      const size_t close = closing_angle(tokens, i);
      i = close < end ? close : i;
    } else if (token.is("(") && i + 1 < end && (tokens[i + 1].is("*") || tokens[i + 1].is("&"))) {
      return declared_name(tokens, i + 2, closing(tokens, i));
    } else if (token.is("{")) {
      i = closing(tokens, i);
    } else if (token.is("[")) {
      break;
    } else if (token.kind == TokenKind::kIdentifier && !names_type_word(token)) {
      name = i;
    }
  }
  return name;
}

// Where the type ends and the first declarator begins: before the name and any `*` or `(` in front of it.
size_t first_declarator(const Tokens& tokens, size_t first, size_t name) {
  size_t at = name;
  while (at > first && (tokens[at - 1].is("*") || tokens[at - 1].is("&") || tokens[at - 1].is("("))) {
    --at;
  }
  return at;
}

class SharedMemory {
 public:
  SharedMemory(const TokenList& list, const std::vector<Place>& places, Changes& changes)
      : list_(list), tokens_(list.tokens), places_(places), changes_(changes), words_(list) {}

  // Returns the index after the declaration.
  size_t rewrite(size_t shared) {
    const Declaration declaration = find(shared);
    if (declaration.last <= shared) {
      return shared + 1;
    }
    const size_t end = declarator_end(tokens_, declaration.first, declaration.last);
    const size_t name = declared_name(tokens_, declaration.first, end);
    if (name == tokens_.size()) {
      changes_.refuse(tokens_[shared].line,
                      "this __shared__ declaration could not be read; declare `type name[size];`");
    } else if (declaration.is_extern) {
      write_dynamic(declaration, name);
    } else if (places_[shared].scope == ScopeKind::kNamespace && tokens_[shared].directive < 0) {
      changes_.refuse(tokens_[shared].line,
                      "a __shared__ variable outside a function is not supported on the emulated device; declare it "
                      "in the kernel");
    } else {
      write_static(declaration, name);
    }
    return declaration.last;
  }

 private:
  Declaration find(size_t shared) const {
    Declaration declaration{shared, shared, false};
    const int directive = tokens_[shared].directive;
    if (directive < 0) {
      declaration.first = places_[shared].statement;
    } else {
      while (declaration.first > 0 && is_specifier(declaration.first - 1, directive)) {
        --declaration.first;
      }
    }
    size_t last = shared;
    while (last < tokens_.size() && tokens_[last].directive == directive && !tokens_[last].is(";")) {
      const bool opens = tokens_[last].is("(") || tokens_[last].is("[") || tokens_[last].is("{");
      last = opens ? closing(tokens_, last) + 1 : last + 1;
    }
    declaration.last = std::min(last, tokens_.size());
    for (size_t i = declaration.first; i < declaration.last; ++i) {
      declaration.is_extern |= tokens_[i].is("extern");
    }
    return declaration;
  }

  // Inside a macro only storage words can be told from what precedes the declaration.
  bool is_specifier(size_t at, int directive) const {
    return tokens_[at].directive == directive &&
           (tokens_[at].is("extern") || tokens_[at].is("static") || tokens_[at].is("volatile"));
  }

  void write_dynamic(const Declaration& declaration, size_t name) {
    const size_t start = first_declarator(tokens_, declaration.first, name);
    std::string text = places_[name].scope == ScopeKind::kNamespace && tokens_[name].directive < 0 ? "static " : "";
    text += words_.specifiers(declaration.first, start, false) + " " + words_.text(start, name) + "(&" +
            std::string(tokens_[name].text) + ")" + words_.text(name + 1, declaration.last) +
            " = ::stitch_emulator::DynamicShared{}";
    changes_.replace(tokens_[declaration.first].begin, tokens_[declaration.last - 1].end, text);
  }

  void write_static(const Declaration& declaration, size_t first_name) {
    const size_t start = first_declarator(tokens_, declaration.first, first_name);
    const std::string type = words_.specifiers(declaration.first, start, true);
    std::string text;
    for (size_t at = start; at < declaration.last;) {
      const size_t end = declarator_end(tokens_, at, declaration.last);
      const size_t name = declared_name(tokens_, at, end);
      if (name == tokens_.size()) {
        changes_.refuse(tokens_[at].line, "this __shared__ declaration could not be read; declare one name a line");
        return;
      }
      text += text.empty() ? "" : "; ";
      text += "STITCH_SHARED(" + std::string(tokens_[name].text) + ", " + type + " " + words_.text(at, end) + ")";
      at = end + 1;
    }
    changes_.replace(tokens_[declaration.first].begin, tokens_[declaration.last - 1].end, text);
  }

  const TokenList& list_;
  const Tokens& tokens_;
  const std::vector<Place>& places_;
  Changes& changes_;
  Words words_;
};

}  // namespace

void rewrite_shared_memory(const TokenList& list, const std::vector<Place>& places, Changes& changes) {
  SharedMemory pass(list, places, changes);
  for (size_t i = 0; i < list.tokens.size();) {
    const Token& token = list.tokens[i];
    const bool defined_word = token.directive >= 0 && i > 0 && list.tokens[i - 1].is("define");
    i = token.is("__shared__") && !places[i].inactive && !defined_word ? pass.rewrite(i) : i + 1;
  }
}

}  // namespace stitch::rewriter
