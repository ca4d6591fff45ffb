// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/public_check.h"
#include "tools/arguments/read_arguments.h"
#include "tools/arguments/schema.h"
#include "tools/requests/request_tool.h"
#include "tools/requests/requests.h"

namespace stitch::tools {
namespace {

Result<ToolReply> run_check(const Json& arguments, ToolContext& context) {
  driver::PublicCheckRequest request;
  STITCH_ASSIGN(const std::filesystem::path folder, path_in(arguments, "folder", context.settings));
  request.folder = folder.string();
  request.options = options_in(arguments, context.settings);
  if (const std::optional<int64_t> step = whole_in(arguments, "step")) {
    request.step = static_cast<int>(*step);
  }
  STITCH_ASSIGN(const driver::PublicCheckReport found, driver::public_check(request, context.services));
  ToolReply reply;
  reply.outcome = found.check.outcome == driver::PublicOutcome::kPassed ? Outcome::kDone : Outcome::kFellShort;
  reply.text = driver::describe(found.check);
  reply.facts = {{"check", driver::to_string(found.check.outcome)}, {"device", to_string(found.device)}};
  return reply;
}

}  // namespace

std::unique_ptr<Tool> check_tool() {
  return request_tool(
      {.name = "check",
       .schema = object_schema({text_property("folder",
                                              "A folder that expert_program or `stitchcuda optimize` wrote, "
                                              "with what was edited there."),
                                whole_property("step", 0, 100'000, "That step of its plan alone."), device_property()},
                               {"folder"}),
       .effects = {.uses_gpu = true}},
      run_check);
}

}  // namespace stitch::tools
