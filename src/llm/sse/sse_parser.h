// SPDX-License-Identifier: Apache-2.0
// Server-sent events from bytes that arrive in pieces of any size.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stitch::llm {

class SseParser {
 public:
  // The data of each event that these bytes end. Lines end in CR, LF or both; comments and other fields are skipped.
  std::vector<std::string> feed(std::string_view bytes);
  // Of the end of the stream: the event that no empty line has ended, if there is one.
  std::vector<std::string> finish();

 private:
  void end_line(std::vector<std::string>& events);

  std::string line_;
  std::string data_;
  bool has_data_ = false;
  bool is_first_line_ = true;         // it may begin with a byte order mark
  bool was_carriage_return_ = false;  // the line feed that follows ends no other line
};

}  // namespace stitch::llm
