// SPDX-License-Identifier: Apache-2.0
#include "report/agents/text_diff.h"

#include <algorithm>
#include <cstdint>

namespace stitch::report {
namespace {

constexpr size_t kAround = 3;
constexpr size_t kMaxCells = size_t{1} << 22;  // of the table below, 16 MB

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

using Lines = std::vector<std::string_view>;

struct Marked {
  char mark = ' ';
  std::string_view line;
};

void append(std::vector<Marked>& into, char mark, const Lines& lines, size_t from, size_t to) {
  for (size_t i = from; i < to; ++i) {
    into.push_back({mark, lines[i]});
  }
}

// The longest common subsequence of what lies between common beginnings and ends.
class Middle {
 public:
  Middle(const Lines& before, const Lines& after, size_t head, size_t tail)
      : before_(before),
        after_(after),
        head_(head),
        rows_(before.size() - head - tail),
        columns_(after.size() - head - tail) {}

  void append_to(std::vector<Marked>& marked) {
    if (rows_ > 0 && columns_ > 0 && (rows_ + 1) * (columns_ + 1) <= kMaxCells) {
      fill();
      walk(marked);
    } else {
      append(marked, '-', before_, head_, head_ + rows_);
      append(marked, '+', after_, head_, head_ + columns_);
    }
  }

 private:
  // How many lines the texts from there on have in common.
  uint32_t& at(size_t row, size_t column) { return common_[row * (columns_ + 1) + column]; }
  bool is_same(size_t row, size_t column) const { return before_[head_ + row] == after_[head_ + column]; }

  void fill() {
    common_.assign((rows_ + 1) * (columns_ + 1), 0);
    for (size_t row = rows_; row-- > 0;) {
      for (size_t column = columns_; column-- > 0;) {
        at(row, column) =
            is_same(row, column) ? at(row + 1, column + 1) + 1 : std::max(at(row + 1, column), at(row, column + 1));
      }
    }
  }

  void walk(std::vector<Marked>& marked) {
    size_t row = 0;
    size_t column = 0;
    while (row < rows_ || column < columns_) {
      if (row < rows_ && column < columns_ && is_same(row, column)) {
        marked.push_back({' ', before_[head_ + row]});
        ++row;
        ++column;
      } else if (row < rows_ && (column == columns_ || at(row + 1, column) >= at(row, column + 1))) {
        marked.push_back({'-', before_[head_ + row++]});
      } else {
        marked.push_back({'+', after_[head_ + column++]});
      }
    }
  }

  const Lines& before_;
  const Lines& after_;
  size_t head_;
  size_t rows_;
  size_t columns_;
  std::vector<uint32_t> common_;
};

std::vector<Marked> marked_lines(const Lines& before, const Lines& after) {
  const size_t shorter = std::min(before.size(), after.size());
  size_t head = 0;
  while (head < shorter && before[head] == after[head]) {
    ++head;
  }
  size_t tail = 0;
  while (tail < shorter - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) {
    ++tail;
  }
  std::vector<Marked> marked;
  append(marked, ' ', before, 0, head);
  Middle(before, after, head, tail).append_to(marked);
  append(marked, ' ', before, before.size() - tail, before.size());
  return marked;
}

// Which lines stand within three of a change.
std::vector<bool> shown_lines(const std::vector<Marked>& marked) {
  std::vector<bool> shown(marked.size(), false);
  for (size_t i = 0; i < marked.size(); ++i) {
    if (marked[i].mark != ' ') {
      const size_t from = i - std::min(i, kAround);
      std::fill(shown.begin() + static_cast<ptrdiff_t>(from),
                shown.begin() + static_cast<ptrdiff_t>(std::min(i + kAround + 1, marked.size())), true);
    }
  }
  return shown;
}

}  // namespace

TextDiff text_diff(std::string_view before, std::string_view after) {
  const std::vector<Marked> marked = marked_lines(lines_of(before), lines_of(after));
  const std::vector<bool> shown = shown_lines(marked);
  TextDiff diff;
  size_t old_line = 1;
  size_t new_line = 1;
  for (size_t i = 0; i < marked.size(); ++i) {
    const auto& [mark, line] = marked[i];
    if (shown[i]) {
      if (i == 0 || !shown[i - 1]) {
        diff.hunks.push_back({.old_line = old_line, .new_line = new_line, .lines = {}});
      }
      diff.hunks.back().lines.push_back(mark + std::string(line));
    }
    diff.added += mark == '+' ? 1 : 0;
    diff.removed += mark == '-' ? 1 : 0;
    old_line += mark == '+' ? 0 : 1;
    new_line += mark == '-' ? 0 : 1;
  }
  return diff;
}

}  // namespace stitch::report
