// SPDX-License-Identifier: Apache-2.0
#include "cli/output/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/columns.h"

namespace stitch::cli {
namespace {

constexpr int kStageColumns = 9;
constexpr int kMinMessageColumns = 4;  // columns: of less nothing can be read

constexpr std::array kTurning = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
constexpr std::array kTurningPlain = {"|", "/", "-", "\\"};

std::string padded(const std::string& stage) {
  const int missing = kStageColumns - display_columns(stage);
  return stage + std::string(static_cast<size_t>(std::max(missing, 0)), ' ');
}

// mark, stage, sentence and end on one line; what must give way is first the sentence, then the end.
std::string line_of(const std::string& mark, const std::string& stage, const std::string& message,
                    const std::string& end, int columns, const Style& style) {
  const std::string name = padded(stage);
  const int head = 3 + display_columns(name);  // the mark, and a space on both sides of the name
  const int tail = 2 + display_columns(end);
  if (columns == 0) {
    return mark + " " + style.stage(name) + " " + message + "  " + style.quiet(end);
  }
  const int room = columns - head - tail;
  if (room >= kMinMessageColumns) {
    return mark + " " + style.stage(name) + " " + cut_to_columns(message, room, style.unicode) + "  " +
           style.quiet(end);
  }
  const std::string short_line = " " + stage + " " + end;
  return columns < 2 ? "" : mark + cut_to_columns(short_line, columns - 1, style.unicode);
}

}  // namespace

std::string fact_line(const std::string& stage, const std::string& message, double seconds, int columns,
                      const Style& style) {
  return line_of(" ", stage, message, "(" + duration_text(seconds) + ")", columns, style);
}

std::string waiting_line(const Waiting& waiting, double now_seconds, int tick, int columns, const Style& style) {
  const auto turn = static_cast<size_t>(tick);
  const std::string mark = style.unicode ? kTurning.at(turn % kTurning.size()) : kTurningPlain.at(turn % 4);
  return line_of(mark, waiting.stage, waiting.message, duration_text(now_seconds - waiting.since_seconds), columns,
                 style);
}

int rows_of(const std::vector<int>& widths, int columns) {
  int rows = 0;
  for (const int width : widths) {
    rows += std::max(1, (width + columns - 1) / std::max(columns, 1));
  }
  return rows;
}

}  // namespace stitch::cli
