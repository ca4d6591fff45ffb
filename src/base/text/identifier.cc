// SPDX-License-Identifier: Apache-2.0
#include "base/text/identifier.h"

#include <cctype>

namespace stitch {

std::string as_identifier(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      c = '_';
    }
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) {
    name.insert(0, "program_");
  }
  return name;
}

}  // namespace stitch
