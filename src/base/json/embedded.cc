// SPDX-License-Identifier: Apache-2.0
#include "base/json/embedded.h"

namespace stitch {
namespace {

// The end of the object that begins at `start`; npos where the text ends before it does.
size_t end_of_object(const std::string& text, size_t start) {
  int depth = 0;
  bool is_string = false;
  for (size_t at = start; at < text.size(); ++at) {
    const char character = text[at];
    if (is_string) {
      at += character == '\\' ? 1 : 0;
      is_string = character != '"';
    } else if (character == '"') {
      is_string = true;
    } else if (character == '{') {
      ++depth;
    } else if (character == '}' && --depth == 0) {
      return at + 1;
    }
  }
  return std::string::npos;
}

}  // namespace

std::optional<EmbeddedObject> embedded_object(const std::string& text, const char* member) {
  // A text of braces alone would otherwise be read once from each of them.
  constexpr int kMaxTries = 1000;
  size_t start = text.find('{');
  for (int tries = 0; start != std::string::npos && tries < kMaxTries; ++tries) {
    const size_t end = end_of_object(text, start);
    if (end != std::string::npos) {
      Result<Json> object = parse_json(std::string_view(text).substr(start, end - start), "an answer");
      if (object.has_value() && object->contains(member)) {
        return EmbeddedObject{std::move(*object), start};
      }
    }
    start = text.find('{', start + 1);
  }
  return std::nullopt;
}

}  // namespace stitch
