// SPDX-License-Identifier: Apache-2.0
#include "codegen/raise/raise_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/graph/op.h"
#include "kernels/builtin_templates.h"

namespace stitch::codegen {
namespace {

std::string operand_text(const ir::Graph& graph, const ir::Operand& operand) {
  if (const ir::ValueId* value = std::get_if<ir::ValueId>(&operand)) {
    return graph.value(*value).name;
  }
  if (const ir::Scalar* scalar = std::get_if<ir::Scalar>(&operand)) {
    if (const int64_t* integer = std::get_if<int64_t>(scalar)) {
      return std::to_string(*integer);
    }
    return fmt::format("{}", std::visit([](auto number) { return static_cast<double>(number); }, *scalar));
  }
  return "none";
}

// `gelu = gelu(linear)`: no types and no attributes, since those hold extents, which a step's text never does.
std::string mathematics(const ir::Graph& graph, const ir::Node& node) {
  std::string text;
  for (const ir::ValueId output : node.outputs) {
    text += (text.empty() ? "" : ", ") + graph.value(output).name;
  }
  text += std::string(" = ") + to_string(node.op) + "(";
  for (size_t i = 0; i < node.operands.size(); ++i) {
    text += (i == 0 ? "" : ", ") + operand_text(graph, node.operands[i]);
  }
  return text + ")";
}

}  // namespace

std::vector<std::string> mathematics_of(const plan::Plan& plan, size_t index) {
  const std::vector<ir::NodeId>& nodes = plan.steps[index].nodes;
  size_t width = 0;
  for (const ir::NodeId node : nodes) {
    width = std::max(width, mathematics(plan.graph, plan.graph.node(node)).size());
  }
  std::vector<std::string> lines;
  for (const ir::NodeId id : nodes) {
    const ir::Node& node = plan.graph.node(id);
    const std::string location = node.location.empty() ? "" : "  " + node.location;
    const std::string line = mathematics(plan.graph, node);
    lines.push_back(location.empty() ? line : fmt::format("{:<{}}{}", line, width, location));
  }
  return lines;
}

Result<StepFile> raise_step(const plan::Plan& plan, size_t index, size_t number) {
  const plan::Step& step = plan.steps[index];
  StepFile file{number, step.name, plan.graph.name, {}, {}, {}};
  const kernels::Group group = plan::step_group(plan, index);
  file.mathematics = mathematics_of(plan, index);
  const kernels::KernelTemplate* kernel = kernels::find_template(step.skeleton);
  STITCH_CHECK(kernel != nullptr) << "a plan names the skeleton " << step.skeleton;
  STITCH_ASSIGN(const kernels::StepDraft draft, kernel->draft(group, step.setting));
  file.code = kernels::to_text(draft);
  if (step.boundary >= 0) {
    const plan::Boundary& boundary = plan.boundaries[static_cast<size_t>(step.boundary)];
    STITCH_ASSIGN(file.written, plan::renumbered_code(boundary.written->code, number));
  }
  return file;
}

}  // namespace stitch::codegen
