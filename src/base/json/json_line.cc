// SPDX-License-Identifier: Apache-2.0
#include "base/json/json_line.h"

#include <string_view>

namespace stitch {
namespace {

struct LineEnd {
  std::string_view character;  // in UTF-8
  std::string_view escape;
};

constexpr LineEnd kLineEnds[] = {{"\xc2\x85", "\\u0085"}, {"\xe2\x80\xa8", "\\u2028"}, {"\xe2\x80\xa9", "\\u2029"}};

}  // namespace

std::string json_line(const Json& json) {
  std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (const LineEnd& end : kLineEnds) {
    for (size_t at = line.find(end.character); at != std::string::npos; at = line.find(end.character, at)) {
      line.replace(at, end.character.size(), end.escape);
    }
  }
  return line + "\n";
}

}  // namespace stitch
