// SPDX-License-Identifier: Apache-2.0
// JSON among words: models explain what they answer, and put it in fences.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/json/json.h"

namespace stitch {

struct EmbeddedObject {
  Json object;
  size_t begin = 0;  // in the text
};

// The first object in `text` that has `member`; braces that begin no such object are passed over.
std::optional<EmbeddedObject> embedded_object(const std::string& text, const char* member);

}  // namespace stitch
