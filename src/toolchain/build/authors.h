// SPDX-License-Identifier: Apache-2.0
// Who wrote the units of a bundle.
#pragma once

#include <set>
#include <string>

namespace stitch::toolchain {

struct Authors {
  bool has_strangers = false;       // units are somebody else's, but for
  std::set<std::string> emitted{};  // those that are as we emitted them, and so is all that they include

  bool is_stranger(const std::string& unit) const { return has_strangers && !emitted.contains(unit); }
};

}  // namespace stitch::toolchain
