// SPDX-License-Identifier: Apache-2.0
#include "cli/output/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace stitch::cli {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

int columns_of(int descriptor, int otherwise) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  const int named = std::atoi(std::string(environment("COLUMNS")).c_str());
  return named > 0 ? named : otherwise;
}

}  // namespace

std::string Terminal::painted(const std::string& text, const char* code) const {
  return has_colour ? std::string("\033[") + code + "m" + text + "\033[0m" : text;
}

Terminal find_terminal(int descriptor, ColorChoice choice) {
  Terminal found;
  found.is_terminal = ::isatty(descriptor) == 1;
  found.has_colour = style_for(descriptor, choice).color;
  found.columns = columns_of(descriptor, found.columns);
  return found;
}

}  // namespace stitch::cli
