// SPDX-License-Identifier: Apache-2.0
// One line of IR text, token by token.
#pragma once

#include <string>
#include <string_view>

#include "base/error/result.h"

namespace stitch::ir {

class Scanner {
 public:
  explicit Scanner(std::string_view line) : rest_(line) {}

  bool at_end();
  // Takes the character, when it comes next.
  bool accept(char expected);
  bool next_is(char expected);
  Result<void> expect(char expected);
  Result<void> expect_end();
  // A C identifier; or a run of the characters of numbers and identifiers, which a number or keyword is.
  Result<std::string> identifier();
  Result<std::string> word();
  Result<std::string> quoted();
  // Everything up to the end of the line, without blanks at its ends.
  std::string remainder();

 private:
  void skip_blanks();
  Unexpected unexpected(const std::string& wanted);

  std::string_view rest_;
};

}  // namespace stitch::ir
