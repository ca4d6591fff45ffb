// SPDX-License-Identifier: Apache-2.0
// Runs a program, for a bounded time, to ask it something.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stitch::cli::doctor {

struct Answer {
  bool is_there = false;  // it could be started
  bool timed_out = false;
  bool ok = false;     // ended by itself with status 0
  std::string output;  // what it printed, also when it did not end
  std::string errors;

  // Why there is no good answer: "did not answer within 60 s", or its last line.
  std::string trouble(int64_t timeout_ms) const;
};

Answer ask(const std::vector<std::string>& command, int64_t timeout_ms);

std::string first_line(const std::string& text);
// The last line with something in it: of a Python traceback, what went wrong.
std::string last_line(const std::string& text);
std::vector<std::string> lines_of(const std::string& text);
// What follows `mark` up to the next space, comma or end of line; empty where `mark` is not in the text.
std::string word_after(const std::string& text, const std::string& mark);

}  // namespace stitch::cli::doctor
