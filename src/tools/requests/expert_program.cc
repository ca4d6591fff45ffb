// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "driver/import/batch.h"
#include "driver/requests/expert.h"
#include "plan/batch/any_batch.h"
#include "tools/arguments/read_arguments.h"
#include "tools/arguments/schema.h"
#include "tools/requests/request_tool.h"
#include "tools/requests/requests.h"

namespace stitch::tools {
namespace {

Result<ToolReply> run_expert_program(const Json& arguments, ToolContext& context) {
  driver::ExpertRequest request;
  STITCH_ASSIGN(request.task, task_in(arguments, context.settings));
  STITCH_ASSIGN(request.out, path_in(arguments, "out", context.settings));
  request.options = options_in(arguments, context.settings);
  STITCH_ASSIGN(const driver::ExpertReport found, driver::expert_program(request, context.services));
  const plan::Plan& plan = found.program.plan;
  const double modelled_us = plan::declared_modelled_us(plan);
  ToolReply reply;
  reply.text = fmt::format(
      "{} files of the expert's program are in {}: {} steps from {} operators, {:.2f} us modelled "
      "on {}, {}. It is not verified yet.\n",
      found.program.bundle.files.size(), found.out.string(), plan.steps.size(), found.imported.operators, modelled_us,
      plan.device, driver::describe_batch(plan));
  for (const std::string& unit : found.program.bundle.units) {
    reply.text += unit + "\n";
  }
  reply.text += found.missing_forms.empty() ? "" : "There is no model_new.py: " + found.missing_forms + "\n";
  reply.facts = {{"out", found.out.string()},
                 {"steps", plan.steps.size()},
                 {"operators", found.imported.operators},
                 {"modelled_us", modelled_us}};
  return reply;
}

}  // namespace

std::unique_ptr<Tool> expert_program_tool() {
  return request_tool(
      {.name = "expert_program",
       .schema = object_schema(
           joined(task_properties(), {text_property("out",
                                                    "The folder to write: a new one, or one that stitchcuda "
                                                    "wrote before.")}),
           {"program", "out"}),
       .effects = {.writes = true}},
      run_expert_program);
}

}  // namespace stitch::tools
