// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "driver/requests/stages.h"
#include "tools/arguments/read_arguments.h"
#include "tools/arguments/schema.h"
#include "tools/replies/verdict_reply.h"
#include "tools/requests/request_tool.h"
#include "tools/requests/requests.h"

namespace stitch::tools {
namespace {

Result<ToolReply> run_compile(const Json& arguments, ToolContext& context) {
  driver::BuildRequest request;
  STITCH_ASSIGN(request.folder, path_in(arguments, "folder", context.settings));
  request.options = options_in(arguments, context.settings);
  STITCH_ASSIGN(const driver::BuildReport found, driver::build_stage(request, context.services));
  if (!found.compile.ok) {
    return verdict_reply(found.verdict(), 0, {});
  }
  ToolReply reply;
  reply.text = fmt::format("It compiles for {}: {} files were compiled, {} were known from before.",
                           to_string(found.device), found.compile.units_compiled, found.compile.units_from_cache);
  reply.facts = {{"verdict", "compiles"}, {"device", to_string(found.device)}};
  return reply;
}

}  // namespace

std::unique_ptr<Tool> compile_tool() {
  return request_tool(
      {.name = "compile",
       .schema = object_schema({text_property("folder",
                                              "A folder of *.cu and *.cuh, or one that expert_program or "
                                              "`stitchcuda optimize` wrote."),
                                device_property()},
                               {"folder"})},
      run_compile);
}

}  // namespace stitch::tools
