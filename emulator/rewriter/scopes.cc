// SPDX-License-Identifier: Apache-2.0
#include "rewriter/scopes.h"

#include <string>

namespace stitch::rewriter {
namespace {

struct Scope {
  ScopeKind kind = ScopeKind::kNamespace;
  bool kernel = false;
  bool device = false;
};

// What the statement under way has shown so far.
struct Pending {
  bool global = false;
  bool device = false;
  bool host = false;
  bool named_namespace = false;
  bool linkage = false;
  bool type = false;
};

struct Condition {
  enum Value { kUnknown, kTrue, kFalse };
  Value value = kUnknown;
  bool taken = false;     // an earlier branch was certainly active
  bool inactive = false;  // this branch certainly is not
  bool guard = false;
  std::vector<Scope> scopes_at_start;
};

class Walker {
 public:
  explicit Walker(const TokenList& list) : list_(list) { places_.resize(list.tokens.size()); }

  std::vector<Place> walk() {
    scopes_.push_back({});
    int directive = -1;
    for (size_t i = 0; i < list_.tokens.size(); ++i) {
      const Token& token = list_.tokens[i];
      if (token.directive >= 0) {
        if (token.directive != directive) {
          directive = token.directive;
          enter_directive(list_.directives[static_cast<size_t>(directive)]);
        }
        places_[i] = place(i);
        places_[i].statement = list_.directives[static_cast<size_t>(directive)].first;
      } else {
        step(i);
      }
    }
    return std::move(places_);
  }

 private:
  Place place(size_t index) const {
    const Scope& scope = scopes_.back();
    Place place;
    place.scope = scope.kind;
    place.kernel = scope.kernel;
    place.device = scope.device;
    place.statement = fresh_ ? index : statement_;
    for (const Condition& condition : conditions_) {
      place.inactive |= condition.inactive;
      place.conditional |= !condition.guard;
    }
    return place;
  }

  void step(size_t index) {
    const Token& token = list_.tokens[index];
    if (fresh_ && !token.is("{") && !token.is("}") && !token.is(";")) {
      statement_ = index;
      fresh_ = false;
    }
    places_[index] = place(index);
    if (token.is("{")) {
      open_brace();
    } else if (token.is("}")) {
      if (scopes_.size() > 1) {
        scopes_.pop_back();
      }
      end_statement();
    } else if (token.is(";")) {
      end_statement();
    } else {
      note(index);
    }
  }

  void note(size_t index) {
    const Token& token = list_.tokens[index];
    if (token.is("template") && index + 1 < list_.tokens.size() && list_.tokens[index + 1].is("<")) {
      template_end_ = closing_angle(list_.tokens, index + 1);
    }
    if (index < template_end_ && template_end_ < list_.tokens.size()) {
      return;  // `class T` in a template's parameter list declares no type
    }
    pending_.global |= token.is("__global__");
    pending_.device |= token.is("__device__");
    pending_.host |= token.is("__host__");
    pending_.named_namespace |= token.is("namespace");
    pending_.type |= token.is("struct") || token.is("class") || token.is("union") || token.is("enum");
    pending_.linkage |= token.kind == TokenKind::kString && index > 0 && list_.tokens[index - 1].is("extern");
  }

  void open_brace() {
    Scope scope = scopes_.back();
    if (pending_.global || pending_.device) {
      scope.kind = ScopeKind::kFunction;
      scope.kernel = pending_.global;
      scope.device = pending_.global || (pending_.device && !pending_.host);
    } else if (scope.kind != ScopeKind::kFunction) {
      scope.kind = pending_.named_namespace || pending_.linkage ? ScopeKind::kNamespace
                   : pending_.type                              ? ScopeKind::kClass
                                                                : ScopeKind::kFunction;
    }
    scopes_.push_back(scope);
    end_statement();
  }

  void end_statement() {
    pending_ = {};
    fresh_ = true;
    template_end_ = 0;
  }

  void enter_directive(const Directive& directive) {
    if (directive.first == directive.last) {
      return;
    }
    const std::string_view word = list_.tokens[directive.first].text;
    if (word == "if" || word == "ifdef" || word == "ifndef") {
      Condition condition;
      condition.value = evaluate(directive);
      condition.inactive = condition.value == Condition::kFalse;
      condition.taken = condition.value == Condition::kTrue;
      condition.guard = is_guard(directive);
      condition.scopes_at_start = scopes_;
      conditions_.push_back(condition);
    } else if (conditions_.empty()) {
      return;
    } else if (word == "else" || word == "elif") {
      Condition& condition = conditions_.back();
      scopes_ = condition.scopes_at_start;
      const bool was_false = condition.value == Condition::kFalse;
      condition.value = word == "elif" ? evaluate(directive) : was_false ? Condition::kTrue : Condition::kUnknown;
      condition.inactive = condition.taken || condition.value == Condition::kFalse;
      condition.taken |= condition.value == Condition::kTrue;
      condition.guard = false;
    } else if (word == "endif") {
      conditions_.pop_back();
    }
  }

  // Only what depends on nothing but STITCH_EMULATED, or on a literal, is known here.
  Condition::Value evaluate(const Directive& directive) const {
    std::string text;
    for (size_t i = directive.first; i < directive.last; ++i) {
      text += list_.tokens[i].text;
    }
    for (const char* yes : {"ifdefSTITCH_EMULATED", "ifdefined(STITCH_EMULATED)", "ifdefinedSTITCH_EMULATED",
                            "ifSTITCH_EMULATED", "elifdefined(STITCH_EMULATED)", "if1"}) {
      if (text == yes) {
        return Condition::kTrue;
      }
    }
    for (const char* no : {"ifndefSTITCH_EMULATED", "if!defined(STITCH_EMULATED)", "if!definedSTITCH_EMULATED",
                           "if!STITCH_EMULATED", "elif!defined(STITCH_EMULATED)", "if0"}) {
      if (text == no) {
        return Condition::kFalse;
      }
    }
    return Condition::kUnknown;
  }

  // `#ifndef X` at the very start, followed by `#define X`.
  bool is_guard(const Directive& directive) const {
    const auto& all = list_.directives;
    return &directive == &all.front() && directive.first == 0 && all.size() > 1 &&
           list_.tokens[directive.first].is("ifndef") && directive.last - directive.first == 2 &&
           all[1].first == directive.last && all[1].last > all[1].first + 1 &&
           list_.tokens[all[1].first].is("define") &&
           list_.tokens[all[1].first + 1].text == list_.tokens[directive.first + 1].text;
  }

  const TokenList& list_;
  std::vector<Place> places_;
  std::vector<Scope> scopes_;
  std::vector<Condition> conditions_;
  Pending pending_;
  size_t statement_ = 0;
  size_t template_end_ = 0;
  bool fresh_ = true;
};

}  // namespace

std::vector<Place> find_places(const TokenList& list) { return Walker(list).walk(); }

bool included_once(const TokenList& list) {
  for (const Directive& directive : list.directives) {
    if (directive.last - directive.first == 2 && list.tokens[directive.first].is("pragma") &&
        list.tokens[directive.first + 1].is("once")) {
      return true;
    }
  }
  const auto& all = list.directives;
  return all.size() > 2 && all[0].first == 0 && list.tokens[0].is("ifndef") && list.tokens[all[1].first].is("define") &&
         all.back().last == list.tokens.size() && list.tokens[all.back().first].is("endif");
}

}  // namespace stitch::rewriter
