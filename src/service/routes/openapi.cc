// SPDX-License-Identifier: Apache-2.0
#include "service/routes/routes.h"

namespace stitch::service {

std::string_view openapi_text() {
  constexpr std::pair<const char*, std::string_view> kTexts[] = {
#define STITCH_TEXT(name, text) {name, text},
#include "service/routes/texts.def"
#undef STITCH_TEXT
  };
  return kTexts[0].second;
}

}  // namespace stitch::service
