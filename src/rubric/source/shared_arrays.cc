// SPDX-License-Identifier: Apache-2.0
#include "rubric/source/shared_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "rubric/source/brackets.h"

namespace stitch::rubric {
namespace {

using Tokens = std::vector<Token>;

// More than a kernel has. A text that was made to take long counts as used: its reader must come to an end.
constexpr size_t kMaxArrays = 64;
constexpr size_t kMaxIndexTokens = 64;

struct SharedArray {
  std::string name;
  int line = 0;
  size_t past = 0;  // its declaration
};

// Names between `__shared__` at `at` and the semicolon: words that a bracket, a comma or the end follows.
void add_declared(const Tokens& body, size_t at, const Brackets& brackets, std::vector<SharedArray>& arrays) {
  size_t end = at;
  while (end < body.size() && !body[end].is(";")) {
    end = body[end].is("(") || body[end].is("[") || body[end].is("{") ? brackets.closing(end) + 1 : end + 1;
  }
  int angle = 0;
  for (size_t i = at + 1; i < end; ++i) {
    angle += body[i].is("<") ? 1 : body[i].is(">") ? -1 : 0;
    const bool ends = i + 1 == end || is_at(body, i + 1, "[") || is_at(body, i + 1, ",") || is_at(body, i + 1, "=");
    if (angle == 0 && ends && body[i].kind == Token::Kind::kWord) {
      arrays.push_back({body[i].text, body[i].line, end});
    }
    if (body[i].is("(") || body[i].is("[") || body[i].is("{")) {
      i = brackets.closing(i);
    }
  }
}

// The text between `from` and `to`.
std::string joined(const Tokens& tokens, size_t from, size_t to) {
  std::string text;
  for (size_t i = from; i < std::min(to, tokens.size()); ++i) {
    text += tokens[i].text + " ";
  }
  return text;
}

// What a variable that is set once is set to; nothing for one that changes.
std::map<std::string, Tokens> settled_values(const Tokens& body) {
  constexpr size_t kMaxTokens = 32;
  std::map<std::string, Tokens> values;
  std::map<std::string, int> changes;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i].kind != Token::Kind::kWord) {
      continue;
    }
    const bool is_stepped =
        (is_at(body, i + 1, "+") && is_at(body, i + 2, "+")) || (is_at(body, i + 1, "-") && is_at(body, i + 2, "-")) ||
        (i > 1 && body[i - 1].is("+") && body[i - 2].is("+")) || (i > 1 && body[i - 1].is("-") && body[i - 2].is("-"));
    const bool is_set = is_at(body, i + 1, "=") && !is_at(body, i + 2, "=");
    const bool is_updated =
        is_at(body, i + 2, "=") && std::string("+-*/%&|^").find(body[i + 1].text) != std::string::npos;
    changes[body[i].text] += is_set || is_stepped || is_updated ? 1 : 0;
    for (size_t k = i + 2; is_set && k < std::min(body.size(), i + kMaxTokens); ++k) {
      if (body[k].is(";") || body[k].is(",")) {
        values[body[i].text].assign(body.begin() + static_cast<int64_t>(i + 2), body.begin() + static_cast<int64_t>(k));
        break;
      }
    }
  }
  std::erase_if(values, [&](const auto& value) { return changes[value.first] != 1; });
  return values;
}

bool is_constant_name(const std::string& word) {
  const bool begins_so = word.size() > 1 && word[0] == 'k' && std::isupper(static_cast<unsigned char>(word[1])) != 0;
  return begins_so || std::none_of(word.begin(), word.end(), [](unsigned char c) { return std::islower(c) != 0; });
}

// Whether an index made of these tokens is another one for each thread of the block, by sums and products of the
// thread's place alone. A quotient or a remainder is the same for several threads: they share.
bool is_own_slot(const Tokens& body, size_t from, size_t to, const std::map<std::string, Tokens>& values, int depth) {
  bool has_thread = false;
  for (size_t i = from; i < std::min(to, body.size()); ++i) {
    const Token& token = body[i];
    if (token.kind == Token::Kind::kWord) {
      const bool is_member = i > from && body[i - 1].is(".");  // threadIdx.x is no variable x
      const auto value = is_member ? values.end() : values.find(token.text);
      if (token.is("threadIdx")) {
        has_thread = true;
      } else if (value != values.end() && depth < 2) {
        if (!is_own_slot(value->second, 0, value->second.size(), values, depth + 1)) {
          return false;
        }
        has_thread = true;
      } else if (!token.is("x") && !token.is("y") && !token.is("z") && !token.is("blockDim") &&
                 !is_constant_name(token.text)) {
        return false;
      }
    } else if (token.kind == Token::Kind::kSymbol && std::string("+*.[]()").find(token.text) == std::string::npos) {
      return false;
    }
  }
  return has_thread;
}

// What a body does with one array.
struct Uses {
  bool escapes = false;  // named without an index, or its address is taken
  bool is_read = false;
  bool is_filled = false;  // by asynchronous copies
  bool is_own = true;      // every index is the thread's own slot, and the same
  std::string index;
};

bool is_asynchronous_copy(const Tokens& body, size_t address_of) {
  return address_of >= 2 && body[address_of - 1].is("(") &&
         body[address_of - 2].text.find("memcpy_async") != std::string::npos;
}

// The use of the array's name at `at`.
void add_use(const Tokens& body, size_t at, const Brackets& brackets, const std::map<std::string, Tokens>& values,
             Uses& uses) {
  size_t past = at + 1;
  while (is_at(body, past, "[")) {
    past = brackets.closing(past) + 1;
  }
  if (past - at > kMaxIndexTokens) {
    uses.escapes = true;
    return;
  }
  const bool has_address_taken = at > 0 && body[at - 1].is("&") && !(at > 1 && body[at - 2].is("&"));
  const bool is_filled = has_address_taken && is_asynchronous_copy(body, at - 1);
  const bool is_written = is_at(body, past, "=") && !is_at(body, past + 1, "=");
  const bool is_scalar = past == at + 1;
  uses.escapes = uses.escapes || (has_address_taken && !is_filled) || (is_scalar && !is_written);
  uses.is_filled = uses.is_filled || is_filled;
  uses.is_read = uses.is_read || (!is_filled && !is_written);
  const std::string index = joined(body, at + 1, past);
  uses.is_own =
      uses.is_own && (uses.index.empty() || uses.index == index) && is_own_slot(body, at + 1, past, values, 0);
  uses.index = index;
}

}  // namespace

void count_shared_arrays(const Function& function, SourceFacts& facts) {
  const Tokens& body = function.body;
  const Brackets brackets(body);
  std::vector<SharedArray> arrays;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i].is("__shared__")) {
      add_declared(body, i, brackets, arrays);
    }
  }
  arrays.resize(std::min(arrays.size(), kMaxArrays));
  const auto values = arrays.empty() ? std::map<std::string, Tokens>() : settled_values(body);
  for (const SharedArray& array : arrays) {
    Uses uses;
    for (size_t i = array.past; i < body.size(); ++i) {
      const bool is_member = i > 0 && (body[i - 1].is(".") || (i > 1 && body[i - 1].is(">") && body[i - 2].is("-")));
      if (body[i].is(array.name.c_str()) && body[i].kind == Token::Kind::kWord && !is_member) {
        add_use(body, i, brackets, values, uses);
      }
    }
    ++facts.shared_arrays;
    const bool is_unread = !uses.is_read && !uses.escapes;
    facts.copied_arrays += uses.is_filled ? 1 : 0;
    facts.unread_copied_arrays += uses.is_filled && is_unread ? 1 : 0;
    if (is_unread || (uses.is_own && !uses.escapes)) {
      ++facts.idle_shared_arrays;
      facts.idle.push_back(fmt::format("{} of {}:{} in shared memory: {}", array.name, function.file, array.line,
                                       is_unread ? "nobody reads it" : "each thread touches its own slot alone"));
    }
  }
}

}  // namespace stitch::rubric
