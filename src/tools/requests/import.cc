// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/fs/files.h"
#include "driver/import/batch.h"
#include "driver/requests/stages.h"
#include "ir/text/printer.h"
#include "plan/batch/program_batches.h"
#include "tools/arguments/read_arguments.h"
#include "tools/arguments/schema.h"
#include "tools/requests/request_tool.h"
#include "tools/requests/requests.h"

namespace stitch::tools {
namespace {

std::string batch_of(const plan::ProgramBatches& program) {
  return program.variants.empty()
             ? fmt::format("The batch is fixed: {}.", program.fixed_because)
             : fmt::format("The batch may be from {} to {}.", program.range.minimum, program.range.maximum);
}

Result<ToolReply> run_import(const Json& arguments, ToolContext& context) {
  driver::ImportRequest request;
  STITCH_ASSIGN(request.task, task_in(arguments, context.settings));
  STITCH_ASSIGN(const std::filesystem::path out, output_in(arguments, "out", "graph ", context.settings));
  request.options = options_in(arguments, context.settings);
  STITCH_ASSIGN(const driver::ImportReport found, driver::import_stage(request, context.services));
  const driver::ImportedProgram& program = found.imported;
  ToolReply reply;
  reply.text = fmt::format("{}: {} operators, {} parameters, {:.4g} GFLOP a call, {} mode. {}\n", program.graph.name,
                           program.operators, program.parameters, program.flops * 1e-9, program.graph.mode,
                           batch_of(found.batches));
  reply.facts = {{"task", program.graph.name}, {"operators", program.operators}, {"parameters", program.parameters},
                 {"flops", program.flops},     {"mode", program.graph.mode},     {"torch", program.torch_version}};
  if (out.empty()) {
    reply.text += ir::print(program.graph);
    return reply;
  }
  STITCH_TRY(write_file(out, plan::print(found.batches)));
  reply.text += "The graph is in " + out.string() + ".";
  reply.facts["out"] = out.string();
  return reply;
}

}  // namespace

std::unique_ptr<Tool> import_tool() {
  return request_tool(
      {.name = "import",
       .schema = object_schema(
           joined(task_properties(), {text_property("out", "A file for the graph, in place of showing it.")}),
           {"program"}),
       .effects = {.writes = true}},
      run_import);
}

}  // namespace stitch::tools
