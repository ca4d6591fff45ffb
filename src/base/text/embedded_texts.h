// SPDX-License-Identifier: Apache-2.0
// A text that is compiled in (cmake/EmbedTexts.cmake): what models and their clients read is written in prompts/.
#pragma once

#include <cstddef>
#include <string_view>

namespace stitch {

struct EmbeddedText {
  std::string_view name;  // "tools/import"
  std::string_view text;
};

}  // namespace stitch
