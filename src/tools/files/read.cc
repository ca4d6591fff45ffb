// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text/printable.h"
#include "tools/arguments/read_arguments.h"
#include "tools/arguments/schema.h"
#include "tools/files/beneath.h"
#include "tools/files/file_tools.h"
#include "tools/requests/request_tool.h"

namespace stitch::tools {
namespace {

constexpr int64_t kDefaultLines = 400;
constexpr int64_t kMaxLines = 2000;

// Lines from `first` on, each with its number.
ToolReply numbered(const std::string& text, int64_t first, int64_t count) {
  ToolReply reply;
  int64_t line = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (++line >= first && line < first + count) {
      reply.text += fmt::format("{:>5}  {}\n", line, printable_lines(text.substr(begin, end - begin)));
    }
    begin = end + 1;
  }
  reply.facts = {{"lines", line}};
  if (line >= first + count) {
    reply.text += fmt::format("({} lines in all: read on with first={})\n", line, first + count);
  } else if (reply.text.empty()) {
    reply.text = line == 0 ? "(empty)\n" : fmt::format("(there are {} lines)\n", line);
  }
  return reply;
}

Result<ToolReply> run_read(const Json& arguments, ToolContext& context) {
  STITCH_ASSIGN(const Beneath files, Beneath::open(context.settings.root));
  STITCH_ASSIGN(const std::string text, files.read(*text_in(arguments, "path"), kMaxFileBytes));
  return numbered(text, whole_in(arguments, "first").value_or(1), whole_in(arguments, "lines").value_or(kDefaultLines));
}

}  // namespace

std::unique_ptr<Tool> read_tool() {
  return request_tool(
      {.name = "read",
       .schema = object_schema({text_property("path", "A file of the workspace."),
                                whole_property("first", 1, 1'000'000, "The first line that is shown; 1 if left out."),
                                whole_property("lines", 1, kMaxLines, "How many lines; 400 if left out.")},
                               {"path"}),
       .cost = Cost::kInstant},
      run_read);
}

}  // namespace stitch::tools
