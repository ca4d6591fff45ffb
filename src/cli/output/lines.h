// SPDX-License-Identifier: Apache-2.0
// The lines of the display, as text: no terminal here.
#pragma once

#include <string>
#include <vector>

#include "cli/output/style.h"

namespace stitch::cli {

// Something that is waited for.
struct Waiting {
  int id = 0;
  std::string stage;
  std::string message;
  double since_seconds = 0;
};

// "  plan      7 steps from 41 operators  (3.1 s)"; at most `columns` wide, 0: as long as it is.
std::string fact_line(const std::string& stage, const std::string& message, double seconds, int columns,
                      const Style& style);
// "⠙ verify    draw 5 of 28: batch 65, near_equal  4.1 s": turns with `tick`.
std::string waiting_line(const Waiting& waiting, double now_seconds, int tick, int columns, const Style& style);

// Rows that lines of these widths take on a terminal of `columns`: one that was made narrower has broken them.
int rows_of(const std::vector<int>& widths, int columns);

}  // namespace stitch::cli
