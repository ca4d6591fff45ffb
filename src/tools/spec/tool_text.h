// SPDX-License-Identifier: Apache-2.0
// What a model reads of a tool: prompts/tools/NAME.md, which is compiled in.
#pragma once

#include <string>
#include <string_view>

namespace stitch::tools {

struct ToolText {
  std::string title;        // its first line, without the "# "
  std::string description;  // what follows
};

// A text of prompts/ that is compiled in, "workspace/SKILL". One that is missing is our bug.
std::string_view embedded_text(const std::string& name);

// A tool without a text is our bug.
ToolText text_of_tool(const std::string& name);

}  // namespace stitch::tools
