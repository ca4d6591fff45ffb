// SPDX-License-Identifier: Apache-2.0
#include "cli/output/style.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

namespace stitch::cli {
namespace {

std::string value_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// The first of the three that is set decides.
bool is_unicode_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = value_of(name);
    if (!value.empty()) {
      return value.find("UTF-8") != std::string::npos || value.find("utf8") != std::string::npos ||
             value.find("utf-8") != std::string::npos;
    }
  }
  return false;
}

}  // namespace

bool can_redraw(int descriptor) {
  const std::string terminal = value_of("TERM");
  return ::isatty(descriptor) == 1 && !terminal.empty() && terminal != "dumb";
}

Style style_for(int descriptor, ColorChoice choice) {
  Style style;
  style.unicode = is_unicode_locale();
  style.color = choice == ColorChoice::kAlways ||
                (choice == ColorChoice::kAuto && can_redraw(descriptor) && value_of("NO_COLOR").empty());
  return style;
}

std::string duration_text(double seconds) {
  if (seconds < 99.95) {
    return fmt::format("{:.1f} s", seconds);
  }
  const auto whole = static_cast<long>(std::lround(seconds));
  return whole < 3600 ? fmt::format("{} m {:02} s", whole / 60, whole % 60)
                      : fmt::format("{} h {:02} m", whole / 3600, whole / 60 % 60);
}

}  // namespace stitch::cli
