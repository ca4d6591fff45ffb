// SPDX-License-Identifier: Apache-2.0
#include "codegen/print/lines.h"

namespace stitch::codegen {
namespace {

// `text` in pieces that fit after `first` and `next` columns. A word longer than a line stays whole.
std::vector<std::string> broken(const std::string& text, size_t first, size_t next) {
  std::vector<std::string> pieces;
  std::string rest = text;
  size_t used = first;
  while (used + rest.size() > kMaxLineLength) {
    size_t at = rest.rfind(' ', kMaxLineLength - used);
    if (at == std::string::npos || at == 0) {
      at = rest.find(' ', 1);
    }
    if (at == std::string::npos) {
      break;
    }
    pieces.push_back(rest.substr(0, at));
    rest = rest.substr(at + 1);
    used = next;
  }
  pieces.push_back(rest);
  return pieces;
}

}  // namespace

void Lines::add(const std::string& line, int indent) {
  const size_t own = line.find_first_not_of(' ');
  if (own == std::string::npos) {
    blank();
    return;
  }
  constexpr size_t kContinuation = 4;
  const size_t columns = static_cast<size_t>(indent) + own;
  bool is_first = true;
  for (const std::string& piece : broken(line.substr(own), columns, columns + kContinuation)) {
    text_ += std::string(is_first ? columns : columns + kContinuation, ' ') + piece + '\n';
    is_first = false;
  }
}

void Lines::comment(const std::string& text, int indent) {
  const std::string start = std::string(static_cast<size_t>(indent), ' ') + "// ";
  for (const std::string& piece : broken(text, start.size(), start.size())) {
    text_ += start + piece + '\n';
  }
}

}  // namespace stitch::codegen
