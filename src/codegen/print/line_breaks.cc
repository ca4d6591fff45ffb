// SPDX-License-Identifier: Apache-2.0
// The search for the cheapest breaks, by clang-format's rules (its ContinuationIndenter) as far as emitted code meets
// them: arguments are packed and aligned behind their bracket, lines break after operators, operands are aligned.
#include "codegen/print/line_breaks.h"

#include <algorithm>
#include <queue>
#include <set>

#include "codegen/print/code_tokens.h"
#include "codegen/print/lines.h"

namespace stitch::codegen {
namespace {

constexpr int kContinuation = 4;
constexpr int kFirstBreakPenalty = 15;  // of a level
constexpr int kExcessPenalty = 1000000;
constexpr int kMaxColumn = static_cast<int>(kMaxLineLength);

// What holds inside a bracket, or in the operands of one level of operators.
struct Level {
  int indent = 0;
  int last_space = 0;
  int call_start = 0;
  bool has_break = false;
  bool breaks_next = false;  // something inside was broken: what follows starts a line
  bool keeps_line = false;
  bool keeps_operand = false;
  auto operator<=>(const Level&) const = default;
};

struct State {
  int column = 0;
  size_t next = 0;
  int line_nesting = 0;    // of the first token of this line
  int lowest_nesting = 0;  // on this line
  std::vector<Level> levels;
  auto operator<=>(const State&) const = default;
};

class Breaker {
 public:
  Breaker(std::vector<CodeToken> tokens, size_t indent)
      : tokens_(std::move(tokens)), indent_(static_cast<int>(indent)) {}

  // The tokens in lines, from `indent` on.
  std::vector<std::string> lines() {
    std::vector<std::string> result = {""};
    const std::vector<int> columns = cheapest();
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (columns[i] >= 0) {
        result.emplace_back(static_cast<size_t>(columns[i] - indent_), ' ');
      } else if (tokens_[i].follows_blank) {
        result.back() += ' ';
      }
      result.back() += tokens_[i].text;
    }
    return result;
  }

 private:
  // At which columns tokens start lines; -1 for those that do not.
  std::vector<int> cheapest() {
    State start;
    start.column = indent_;
    Level line;
    line.indent = indent_;
    line.last_space = indent_;
    start.levels.push_back(line);
    take(start);
    nodes_.push_back({start, 0, false});
    queue_.push({0, 0});
    while (!queue_.empty()) {
      const auto [penalty, node] = queue_.top();
      queue_.pop();
      const State state = nodes_[node].state;
      if (state.next == tokens_.size()) {
        return breaks_of(node);
      }
      if (!seen_.insert(state).second) {
        continue;
      }
      if (!must_break(state)) {
        add(penalty, node, false);
      }
      if (can_break(state)) {
        add(penalty, node, true);
      }
    }
    return std::vector<int>(tokens_.size(), -1);
  }

  struct Node {
    State state;
    size_t before = 0;
    bool breaks = false;
  };
  using Entry = std::pair<int64_t, size_t>;  // penalty, and the order of adding

  std::vector<int> breaks_of(size_t node) const {
    std::vector<int> columns(tokens_.size(), -1);
    for (; node != 0; node = nodes_[node].before) {
      const State& after = nodes_[node].state;
      const CodeToken& token = tokens_[after.next - 1];
      columns[after.next - 1] = nodes_[node].breaks ? after.column - static_cast<int>(token.text.size()) : -1;
    }
    return columns;
  }

  void add(int64_t penalty, size_t before, bool breaks) {
    State state = nodes_[before].state;
    if (breaks) {
      penalty += break_line(state);
    } else {
      stay(state);
    }
    take(state);
    penalty += static_cast<int64_t>(std::max(0, state.column - kMaxColumn)) * kExcessPenalty;
    nodes_.push_back({std::move(state), before, breaks});
    queue_.push({penalty, nodes_.size() - 1});
  }

  const CodeToken& current(const State& state) const { return tokens_[state.next]; }
  const CodeToken& previous(const State& state) const { return tokens_[state.next - 1]; }

  bool must_break(const State& state) const {
    const CodeToken& last = previous(state);
    if (!state.levels.back().breaks_next || !current(state).can_break_before) {
      return false;
    }
    if (last.text == "," || current(state).precedence == Precedence::kConditional) {
      return true;
    }
    const bool compares = last.precedence == Precedence::kRelational || last.precedence == Precedence::kEquality;
    return last.precedence > Precedence::kConditional && (!compares || tokens_[state.next - 2].ends_operation);
  }

  bool can_break(const State& state) const {
    const CodeToken& token = current(state);
    if (!token.can_break_before) {
      return false;
    }
    if (previous(state).opens && previous(state).text != "{" && state.lowest_nesting < state.line_nesting &&
        state.lowest_nesting < token.nesting) {
      return false;
    }
    if (token.text == ":" && !state.levels.back().breaks_next) {
      return false;  // both ways of a choice stand alike
    }
    const bool is_operator = token.precedence != Precedence::kNone;
    return !state.levels.back().keeps_line && (is_operator || !state.levels.back().keeps_operand);
  }

  void stay(State& state) const {
    Level& level = state.levels.back();
    const CodeToken& last = previous(state);
    const int blank = current(state).follows_blank ? 1 : 0;
    if (last.opens) {
      level.indent = state.column + blank;
    }
    const bool separates = last.precedence != Precedence::kNone && last.precedence != Precedence::kConditional &&
                           last.precedence != Precedence::kAssignment && last.precedence != Precedence::kRelational;
    const bool has_two_operands = last.is_first_operator && !last.has_next_operator;
    if (separates && !has_two_operands) {
      level.keeps_operand = true;
    }
    state.column += blank;
    const bool assigns = last.precedence == Precedence::kAssignment;
    if (last.precedence != Precedence::kNone && (!assigns || !current(state).starts.empty())) {
      level.last_space = state.column;
    }
  }

  int break_line(State& state) const {
    Level& level = state.levels.back();
    const CodeToken& last = previous(state);
    const CodeToken& token = current(state);
    const int penalty = token.penalty + (level.has_break ? 0 : kFirstBreakPenalty);
    level.has_break = true;
    state.column = new_column(state);
    level.last_space = state.column;
    state.line_nesting = token.nesting;
    state.lowest_nesting = token.nesting;
    if (last.precedence != Precedence::kNone && last.precedence != Precedence::kConditional) {
      level.breaks_next = false;
    }
    if (token.text == "?") {
      level.breaks_next = true;
    }
    for (size_t i = 0; i + 1 < state.levels.size(); ++i) {
      state.levels[i].breaks_next = true;
    }
    if (last.precedence == Precedence::kNone && !last.opens && token.precedence == Precedence::kNone) {
      level.breaks_next = true;
    }
    return penalty;
  }

  int new_column(const State& state) const {
    const Level& level = state.levels.back();
    if (previous(state).precedence == Precedence::kAssignment) {
      return std::max(level.last_space, level.indent) + kContinuation;
    }
    return level.indent == indent_ ? level.indent + kContinuation : level.indent;
  }

  // Goes past the token, which starts at state.column.
  void take(State& state) const {
    const CodeToken& token = current(state);
    state.lowest_nesting = std::min(state.lowest_nesting, token.nesting);
    if (token.precedence != Precedence::kNone) {
      state.levels.back().keeps_operand = false;
    }
    start_operands(state);
    if (token.closes && state.levels.size() > 1) {
      state.levels.pop_back();
    }
    if (token.opens) {
      open_bracket(state);
    }
    for (int i = 0; i < token.ends && state.levels.size() > 1; ++i) {
      state.levels.pop_back();
    }
    state.column += static_cast<int>(token.text.size());
    ++state.next;
  }

  void start_operands(State& state) const {
    const CodeToken* last = state.next == 0 ? nullptr : &previous(state);
    bool is_indented = last != nullptr && (last->opens || last->text == "return" || last->text == ";" ||
                                           last->precedence == Precedence::kAssignment);
    for (const Precedence operation : current(state).starts) {
      Level level = state.levels.back();
      level.has_break = false;
      level.keeps_line = level.keeps_line || level.keeps_operand;
      level.indent = std::max({state.column, level.indent, level.last_space});
      level.last_space = std::max(level.last_space, state.column);
      if (operation != Precedence::kConditional) {
        level.call_start = state.column;
      }
      if (operation == Precedence::kConditional || (operation > Precedence::kAssignment && !is_indented)) {
        level.indent += kContinuation;
      }
      is_indented = false;
      state.levels.push_back(level);
    }
  }

  void open_bracket(State& state) const {
    const Level& outer = state.levels.back();
    Level level;
    level.indent = kContinuation + std::max(outer.last_space, outer.call_start);
    level.last_space = outer.last_space;
    if (current(state).text == "{") {
      level.indent = kContinuation + outer.last_space;
    }
    if (current(state).text == "<") {
      level.indent = std::max(level.indent, outer.indent);
      level.last_space = std::max(level.last_space, outer.indent);
    }
    level.keeps_line = outer.keeps_line || outer.keeps_operand;
    state.levels.push_back(level);
  }

  std::vector<CodeToken> tokens_;
  int indent_;
  std::vector<Node> nodes_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  std::set<State> seen_;
};

}  // namespace

std::vector<std::string> broken_code(const std::string& line, size_t indent, bool is_signature) {
  if (indent + line.size() <= kMaxLineLength) {
    return {line};
  }
  const std::vector<CodeToken> tokens = code_tokens(line, is_signature);
  return Breaker(tokens, indent).lines();
}

}  // namespace stitch::codegen
