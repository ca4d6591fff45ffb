// SPDX-License-Identifier: Apache-2.0
#include "tools/spec/tool_text.h"

#include "base/error/check.h"
#include "base/text/embedded_texts.h"

namespace stitch::tools {

extern const EmbeddedText kEmbeddedTexts[];
extern const size_t kEmbeddedTextCount;

std::string_view embedded_text(const std::string& name) {
  for (size_t i = 0; i < kEmbeddedTextCount; ++i) {
    if (kEmbeddedTexts[i].name == name) {
      return kEmbeddedTexts[i].text;
    }
  }
  STITCH_CHECK(false) << "prompts/" << name << ".md is missing";
  return {};
}

ToolText text_of_tool(const std::string& name) {
  const std::string_view text = embedded_text("tools/" + name);
  const size_t end = text.find('\n');
  STITCH_CHECK(text.starts_with("# ") && end != std::string_view::npos) << name << ".md has no title";
  const size_t body = text.find_first_not_of('\n', end);
  STITCH_CHECK(body != std::string_view::npos) << name << ".md says nothing";
  const size_t last = text.find_last_not_of('\n');
  return {std::string(text.substr(2, end - 2)), std::string(text.substr(body, last + 1 - body))};
}

}  // namespace stitch::tools
