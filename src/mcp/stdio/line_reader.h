// SPDX-License-Identifier: Apache-2.0
// Lines from a pipe that we do not trust to be short, or to end.
#pragma once

#include <optional>
#include <string>

#include "base/process/stop.h"

namespace stitch::mcp {

class LineReader {
 public:
  LineReader(int input, size_t max_bytes) : input_(input), max_bytes_(max_bytes) {}

  struct Line {
    std::string text;           // without its end; "\r\n" counts as one
    bool was_too_long = false;  // it was thrown away up to its end: `text` is empty
  };
  // Nothing at the end of the input, at an error, or once the stop is wished for. What lies behind the last line end is
  // no line: its writer ended in the middle of it.
  std::optional<Line> next(const Stop& stop);

 private:
  std::optional<Line> take_line();
  // False at the end.
  bool read_more(const Stop& stop);

  int input_;
  size_t max_bytes_;
  std::string received_;
  size_t searched_ = 0;
  bool skips_ = false;  // up to the next line end
};

}  // namespace stitch::mcp
