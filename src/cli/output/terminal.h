// SPDX-License-Identifier: Apache-2.0
// What the place where our words go can show.
#pragma once

#include <string>

#include "cli/output/style.h"

namespace stitch::cli {

struct Terminal {
  bool is_terminal = false;
  bool has_colour = false;  // as style_for says
  int columns = 100;        // of the terminal, else of COLUMNS, else this

  std::string bold(const std::string& text) const { return painted(text, "1"); }
  std::string dim(const std::string& text) const { return painted(text, "2"); }
  std::string red(const std::string& text) const { return painted(text, "31"); }
  std::string green(const std::string& text) const { return painted(text, "32"); }
  std::string yellow(const std::string& text) const { return painted(text, "33"); }

  // `text` in the colour of an ANSI code, or as it is where there is no colour.
  std::string painted(const std::string& text, const char* code) const;
};

Terminal find_terminal(int descriptor, ColorChoice choice = ColorChoice::kAuto);

}  // namespace stitch::cli
