// SPDX-License-Identifier: Apache-2.0
#include "llm/sse/sse_parser.h"

#include <utility>

namespace stitch::llm {

std::vector<std::string> SseParser::feed(std::string_view bytes) {
  std::vector<std::string> events;
  for (const char byte : bytes) {
    const bool is_second_half = byte == '\n' && was_carriage_return_;
    was_carriage_return_ = byte == '\r';
    if (is_second_half) {
      continue;
    }
    if (byte == '\n' || byte == '\r') {
      end_line(events);
    } else {
      line_ += byte;
    }
  }
  return events;
}

std::vector<std::string> SseParser::finish() {
  std::vector<std::string> events;
  if (!line_.empty()) {
    end_line(events);
  }
  end_line(events);
  return events;
}

void SseParser::end_line(std::vector<std::string>& events) {
  std::string_view line = line_;
  if (std::exchange(is_first_line_, false) && line.starts_with("\xEF\xBB\xBF")) {
    line.remove_prefix(3);
  }
  if (line.empty() && std::exchange(has_data_, false)) {
    events.push_back(std::exchange(data_, {}));
  }
  const std::string_view field = line.substr(0, line.find(':'));
  if (field == "data") {
    line.remove_prefix(std::min(line.size(), field.size() + 1));
    line.remove_prefix(line.starts_with(' ') ? 1 : 0);
    data_ += has_data_ ? "\n" : "";
    data_ += line;
    has_data_ = true;
  }
  line_.clear();
}

}  // namespace stitch::llm
