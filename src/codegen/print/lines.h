// SPDX-License-Identifier: Apache-2.0
// Text line by line, none longer than a reader's screen.
#pragma once

#include <string>
#include <vector>

namespace stitch::codegen {

constexpr size_t kMaxLineLength = 120;

class Lines {
 public:
  // Adds one line of code; one that is too long is broken where clang-format would break it.
  void add(const std::string& line, int indent = 0);
  // The same of a line that declares a function.
  void add_signature(const std::string& line, int indent = 0);
  // Adds lines that are broken already.
  void as_is(const std::string& text) { text_ += text + '\n'; }
  // Adds "// text", broken at blanks.
  void comment(const std::string& text, int indent = 0);
  void blank() { text_ += '\n'; }
  std::string take() { return std::move(text_); }

 private:
  void add_code(const std::string& line, int indent, bool is_signature);

  std::string text_;
};

}  // namespace stitch::codegen
