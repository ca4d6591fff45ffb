// SPDX-License-Identifier: Apache-2.0
// Just enough JSON to read the header of a safetensors file, from memory, without a dependency and without recursion
// beyond a fixed depth. Every function returns false on malformed text and then stays failed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stitch {

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  // Takes `mark`, skipping white space before it.
  bool take(char mark);
  // Whether `mark` comes next; does not take it.
  bool next_is(char mark);
  bool read_string(std::string* value);
  // A non-negative integer below 2^63.
  bool read_count(std::int64_t* value);
  // Any value, to be ignored.
  bool skip_value();
  // Only white space is left.
  bool at_end();
  bool failed() const { return failed_; }

 private:
  static constexpr int kDeepest = 32;

  bool fail();
  void skip_space();
  bool read_escape(std::string* value);
  bool skip_nested(int depth);
  bool skip_members(char open, char close, int depth);

  std::string_view text_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace stitch
