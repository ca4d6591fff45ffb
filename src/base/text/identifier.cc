// SPDX-License-Identifier: Apache-2.0
#include "base/text/identifier.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace stitch {
namespace {

// Words of graph.ir, and targets that CMake keeps for itself.
constexpr std::array<std::string_view, 14> kTaken = {
    "none", "true",  "false", "inf",     "nan",     "return",     "all",
    "help", "clean", "test",  "install", "package", "edit_cache", "rebuild_cache"};

}  // namespace

std::string as_identifier(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      c = '_';
    }
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ||
      std::find(kTaken.begin(), kTaken.end(), name) != kTaken.end()) {
    name.insert(0, "program_");
  }
  return name;
}

}  // namespace stitch
