// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/fs/files.h"
#include "driver/import/batch.h"
#include "driver/requests/stages.h"
#include "driver/time/step_cost.h"
#include "plan/batch/any_batch.h"
#include "tools/arguments/read_arguments.h"
#include "tools/arguments/schema.h"
#include "tools/requests/request_tool.h"
#include "tools/requests/requests.h"

namespace stitch::tools {
namespace {

std::string steps_of(const plan::Plan& plan) {
  std::string text;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const driver::StepCost cost = driver::counted_cost(plan, static_cast<int>(i));
    text += fmt::format("{:>3} {:<40} {:<28} {:>9.3f} GFLOP {:>9.3f} MB  modelled {:>8.2f} us{}\n", i, cost.name,
                        cost.skeleton + " " + cost.setting, cost.flops * 1e-9, cost.bytes * 1e-6, cost.modelled_us,
                        cost.prepares ? "  (prepare)" : "");
  }
  return text;
}

// The stage takes its graph from a file.
Result<plan::Plan> plan_program(const Json& arguments, ToolContext& context) {
  driver::ImportRequest import;
  STITCH_ASSIGN(import.task, task_in(arguments, context.settings));
  import.options = options_in(arguments, context.settings);
  STITCH_ASSIGN(const driver::ImportReport found, driver::import_stage(import, context.services));
  STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-tool"));
  const std::filesystem::path graph = folder.path() / "graph.ir";
  STITCH_TRY(write_file(graph, plan::print(found.batches)));
  return driver::plan_stage({graph, import.task.math, import.options}, context.services);
}

Result<ToolReply> run_plan(const Json& arguments, ToolContext& context) {
  STITCH_ASSIGN(const std::filesystem::path out,
                output_in(arguments, "out", "{\n \"schema\": \"stitchcuda.plan/", context.settings));
  STITCH_ASSIGN(const plan::Plan plan, plan_program(arguments, context));
  ToolReply reply;
  const double modelled_us = plan::declared_modelled_us(plan);
  reply.text = fmt::format("{}: {} steps, {:.2f} us modelled on {}, {}.\n{}", plan.graph.name, plan.steps.size(),
                           modelled_us, plan.device, driver::describe_batch(plan), steps_of(plan));
  reply.facts = {{"task", plan.graph.name},
                 {"steps", plan.steps.size()},
                 {"modelled_us", modelled_us},
                 {"planned_for", plan.device}};
  if (!out.empty()) {
    STITCH_TRY(write_file(out, plan::to_json(plan).dump(1) + "\n"));
    reply.text += "The plan is in " + out.string() + ".";
    reply.facts["out"] = out.string();
  }
  return reply;
}

}  // namespace

std::unique_ptr<Tool> plan_tool() {
  return request_tool(
      {.name = "plan",
       .schema = object_schema(joined(task_properties(), {text_property("out", "A file for the plan, plan.json.")}),
                               {"program"}),
       .effects = {.writes = true}},
      run_plan);
}

}  // namespace stitch::tools
