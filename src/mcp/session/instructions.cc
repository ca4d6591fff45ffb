// SPDX-License-Identifier: Apache-2.0
#include "mcp/session/instructions.h"

#include "base/text/embedded_texts.h"

namespace stitch::mcp {

extern const EmbeddedText kEmbeddedTexts[];
extern const size_t kEmbeddedTextCount;

std::string instructions() {
  std::string text;
  for (size_t i = 0; i < kEmbeddedTextCount; ++i) {
    text += kEmbeddedTexts[i].text;
  }
  return text;
}

}  // namespace stitch::mcp
