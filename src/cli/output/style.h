// SPDX-License-Identifier: Apache-2.0
// How lines look: colours where they are wanted, letters beyond ASCII where they can be shown.
#pragma once

#include <string>

namespace stitch::cli {

enum class ColorChoice { kAuto, kAlways, kNever };

struct Style {
  bool color = false;
  bool unicode = false;

  std::string stage(const std::string& text) const { return painted("36", text); }  // cyan
  std::string quiet(const std::string& text) const { return painted("2", text); }   // dim
  std::string bad(const std::string& text) const { return painted("1;31", text); }  // bold red
  std::string painted(const char* code, const std::string& text) const {
    return color ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
  }
};

// For one of our outputs: colours on a terminal that has them, unless NO_COLOR is set (https://no-color.org); --color
// wins over both.
Style style_for(int descriptor, ColorChoice choice);
// Whether lines can be drawn again in place there: a terminal that is not dumb.
bool can_redraw(int descriptor);

// "0.4 s", "2 m 05 s", "2 h 03 m"
std::string duration_text(double seconds);

}  // namespace stitch::cli
