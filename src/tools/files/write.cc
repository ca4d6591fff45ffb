// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tools/arguments/read_arguments.h"
#include "tools/arguments/schema.h"
#include "tools/files/beneath.h"
#include "tools/files/file_tools.h"
#include "tools/requests/request_tool.h"

namespace stitch::tools {
namespace {

Result<ToolReply> run_write(const Json& arguments, ToolContext& context) {
  const std::string path = *text_in(arguments, "path");
  const std::string content = *text_in(arguments, "content");
  STITCH_ASSIGN(const Beneath files, Beneath::open(context.settings.root));
  STITCH_TRY(files.write(path, content));
  ToolReply reply;
  reply.text = fmt::format("{} bytes are in {}.", content.size(), path);
  reply.facts = {{"bytes", content.size()}};
  return reply;
}

}  // namespace

std::unique_ptr<Tool> write_tool() {
  return request_tool({.name = "write",
                       .schema = object_schema({text_property("path", "A file of the workspace, there or new."),
                                                content_property("content", "Its whole text.")},
                                               {"path", "content"}),
                       .effects = {.writes = true},
                       .cost = Cost::kInstant},
                      run_write);
}

}  // namespace stitch::tools
