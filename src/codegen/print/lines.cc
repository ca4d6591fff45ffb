// SPDX-License-Identifier: Apache-2.0
#include "codegen/print/lines.h"

#include "codegen/print/line_breaks.h"

namespace stitch::codegen {
namespace {

// `text` in pieces that fit after `column`. A word longer than a line stays whole.
std::vector<std::string> broken_at_blanks(const std::string& text, size_t column) {
  std::vector<std::string> pieces;
  std::string rest = text;
  while (column + rest.size() > kMaxLineLength) {
    size_t at = rest.rfind(' ', kMaxLineLength - column);
    if (at == std::string::npos || at == 0) {
      at = rest.find(' ', 1);
    }
    if (at == std::string::npos) {
      break;
    }
    pieces.push_back(rest.substr(0, at));
    rest = rest.substr(at + 1);
  }
  pieces.push_back(rest);
  return pieces;
}

}  // namespace

void Lines::add(const std::string& line, int indent) { add_code(line, indent, false); }

void Lines::add_signature(const std::string& line, int indent) { add_code(line, indent, true); }

void Lines::add_code(const std::string& line, int indent, bool is_signature) {
  const size_t own = line.find_first_not_of(' ');
  if (own == std::string::npos) {
    blank();
    return;
  }
  const size_t column = static_cast<size_t>(indent) + own;
  for (const std::string& piece : broken_code(line.substr(own), column, is_signature)) {
    text_ += std::string(column, ' ') + piece + '\n';
  }
}

void Lines::comment(const std::string& text, int indent) {
  const std::string start = std::string(static_cast<size_t>(indent), ' ') + "// ";
  for (std::string piece : broken_at_blanks(text, start.size())) {
    piece.erase(piece.find_last_not_of(' ') + 1);
    text_ += start + piece + '\n';
  }
}

}  // namespace stitch::codegen
