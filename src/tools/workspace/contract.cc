// SPDX-License-Identifier: Apache-2.0
#include "tools/workspace/contract.h"

#include <fmt/format.h>

#include "driver/import/batch.h"
#include "ir/text/printer.h"

namespace stitch::tools {
namespace {

std::string row_of_buffer(const plan::Plan& plan, const plan::Buffer& buffer) {
  return fmt::format("| {} | {} | `{}` | `{}` |\n", plan::to_string(buffer.kind), buffer.index, buffer.name,
                     ir::print(plan.graph.value(buffer.value).type));
}

bool is_callers(plan::BufferKind kind) {
  return kind != plan::BufferKind::kArena && kind != plan::BufferKind::kPrepared;
}

std::string values_of(const plan::Plan& plan, const char* word, const std::vector<int>& buffers) {
  std::string text;
  for (const int index : buffers) {
    const plan::Buffer& buffer = plan.buffers.at(static_cast<size_t>(index));
    text += fmt::format("    {} {}: {}\n", word, buffer.name, ir::print(plan.graph.value(buffer.value).type));
  }
  return text;
}

}  // namespace

std::string contract_text(const plan::Plan& plan) {
  std::string text = fmt::format(
      "# Contract of {}\n\nAll memory is the caller's; tensors are contiguous, at multiples of 16 bytes, in this order "
      "(`stitch_program.h` is the interface). Batch: {}.\n\n| role | number | name | type |\n|---|---|---|---|\n",
      plan.graph.name, driver::describe_batch(plan));
  for (const plan::Buffer& buffer : plan.buffers) {
    text += is_callers(buffer.kind) ? row_of_buffer(plan, buffer) : "";
  }
  text += "\n## Steps of the expert's program\n\n";
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const plan::Step& step = plan.steps[i];
    text += fmt::format("    step {:02} {} ({}{})\n", i, step.name, step.skeleton,
                        step.phase == plan::Phase::kPrepare ? ", once per set of parameters" : "");
    text += values_of(plan, "takes", step.operands) + values_of(plan, "gives", step.results) + "\n";
  }
  return text + "## Graph\n\n```\n" + ir::print(plan.graph) + "```\n";
}

}  // namespace stitch::tools
