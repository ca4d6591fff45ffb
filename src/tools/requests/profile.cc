// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/profile.h"

#include <fmt/format.h>

#include "tools/arguments/read_arguments.h"
#include "tools/arguments/schema.h"
#include "tools/requests/request_tool.h"
#include "tools/requests/requests.h"

namespace stitch::tools {
namespace {

std::string row_of(const driver::StepCost& cost) {
  std::string row = fmt::format(
      "{:>3} {:<40} {:<28} {:>9.3f} GFLOP {:>9.3f} MB  floor {:>8.2f} us  modelled {:>8.2f} us", cost.step, cost.name,
      cost.skeleton + " " + cost.setting, cost.flops * 1e-9, cost.bytes * 1e-6, cost.floor_us, cost.modelled_us);
  if (cost.measured_us.has_value()) {
    row += fmt::format("  measured {:>8.2f} us +- {:.0f} %", *cost.measured_us, 100 * cost.spread);
  }
  return row + (cost.prepares ? "  (prepare)\n" : "\n");
}

Result<ToolReply> run_profile(const Json& arguments, ToolContext& context) {
  driver::ProfileRequest request;
  STITCH_ASSIGN(const std::filesystem::path folder, path_in(arguments, "folder", context.settings));
  request.folder = folder.string();
  request.options = options_in(arguments, context.settings);
  if (const std::optional<int64_t> step = whole_in(arguments, "step")) {
    request.step = static_cast<int>(*step);
  }
  STITCH_ASSIGN(const driver::ProfileReport found, driver::profile(request, context.services));
  ToolReply reply;
  for (const driver::StepCost& cost : found.steps) {
    reply.text += row_of(cost);
  }
  reply.text += fmt::format("{:.2f} us modelled on {}", found.modelled_us, found.planned_for);
  reply.facts = {{"task", found.task},
                 {"device", to_string(found.device)},
                 {"planned_for", found.planned_for},
                 {"steps", found.steps.size()},
                 {"modelled_us", found.modelled_us}};
  if (found.measured_us.has_value()) {
    reply.text += fmt::format(", {:.2f} us measured step by step, each with cold L2.", *found.measured_us);
    reply.facts["measured_us"] = *found.measured_us;
  } else if (found.device == DeviceKind::kCuda) {
    reply.text += "; of so many steps none was timed alone.";
  } else {
    reply.text += "; measured times need a GPU.";
  }
  if (found.ladder.has_value()) {
    reply.text += "\n" + driver::describe(*found.ladder);
    reply.facts["rung"] = to_string(found.ladder->measured.rung);
  }
  return reply;
}

}  // namespace

std::unique_ptr<Tool> profile_tool() {
  return request_tool(
      {.name = "profile",
       .schema = object_schema({text_property("folder", "A folder that expert_program or `stitchcuda optimize` wrote."),
                                whole_property("step", 0, 100'000, "That step of its plan alone."), device_property()},
                               {"folder"}),
       .effects = {.uses_gpu = true}},
      run_profile);
}

}  // namespace stitch::tools
