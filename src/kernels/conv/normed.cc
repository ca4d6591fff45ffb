// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/normed.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "ir/graph/op.h"
#include "kernels/conv/launch.h"
#include "kernels/conv/moment_setting.h"
#include "kernels/conv/rounding.h"
#include "kernels/conv/turning.h"
#include "kernels/group/joined_pool.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/norm/layer_norm.h"

namespace stitch::kernels {
namespace {

using ir::Op;

// What of the group's convolution is normalised, and by how many channels of an image.
struct NormedOutput {
  const ir::Node* norm;
  ir::ValueId output;
  int64_t channels;
  RowAxes axes;
};

// nullopt where the group is of another kind.
std::optional<NormedOutput> normed_output(const Group& group) {
  const ir::Graph& graph = *group.graph;
  const ir::Node* norm = only_node_beside_root(group);
  if (norm == nullptr || norm->op != Op::kLayerNorm || graph.type(norm->outputs[0]).dtype != DataType::kFloat32) {
    return std::nullopt;
  }
  const std::vector<int64_t>& shape = graph.type(group.root_node().outputs[0]).shape;
  NormedOutput normed{norm, ir::tensor_operand(*norm, 0), 0, layer_norm_axes(graph, *norm)};
  // Elements keep their order.
  while (graph.type(normed.output).shape != shape) {
    const ir::NodeId view = graph.value(normed.output).producer;
    if (!view.is_valid() || !group.contains(view) || graph.node(view).op != Op::kReshape) {
      return std::nullopt;
    }
    normed.output = ir::tensor_operand(graph.node(view), 0);
  }
  const int64_t pixels = std::accumulate(shape.begin() + 2, shape.end(), int64_t{1}, std::multiplies<>());
  normed.channels = pixels > 0 ? normed.axes.column_count / pixels : 0;
  const bool has_whole_channels =
      normed.channels > 0 && normed.channels * pixels == normed.axes.column_count && shape[1] % normed.channels == 0;
  return has_whole_channels ? std::optional(normed) : std::nullopt;
}

// As our own kernels take it.
ConvolutionProblem problem_of_normed(const Group& group) { return with_last_axis_joined(convolution_problem(group)); }

// Of scratch memory before the convolution's own: its outputs, the totals of rows, and what aligns both.
int64_t kept_bytes_of(const Group& group, const NormedOutput& normed) {
  constexpr int64_t kTotalBytes = 12, kAlignment = 32;
  return group.graph->type(normed.output).bytes() + normed.axes.row_count * kTotalBytes + kAlignment;
}

class NormedConvolution final : public KernelTemplate {
 public:
  const char* name() const override { return kNormedConvolution; }

  // Never the first to say so: convolutions come before it.
  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return is_convolution(node) && graph.type(node.outputs[0]).dtype == DataType::kFloat32;
  }

  std::vector<ir::ValueId> store_first(const Group& group) const override { return operands_without_layout(group); }

  std::vector<Setting> space(const Group& group, const DeviceLimits& limits, MathMode math) const override {
    return normed_output(group).has_value()
               ? moment_settings(problem_of_normed(group), operand_rounding(convolution_problem(group), math), limits)
               : std::vector<Setting>{};
  }

  bool allows(const Group& group, const Setting& setting) const override {
    const std::optional<MomentSetting> own = moment_setting(setting);
    return own.has_value() && normed_output(group).has_value() && allows_moments(problem_of_normed(group), *own);
  }

  Work work(const Group& group, const Setting& setting) const override {
    constexpr double kBandwidthShare = 0.9;
    const NormedOutput normed = *normed_output(group);
    Work work;
    work.bytes = min_bytes(group);  // an output is as large as what the convolution stores
    work.lane_operations = pointwise_operations(group);
    add_moments_work(group, problem_of_normed(group), *moment_setting(setting), true, work);
    auto applied = static_cast<double>(group.graph->type(normed.output).bytes());
    for (const ir::ValueId result : group.results) {
      applied += static_cast<double>(group.graph->type(result).bytes());
    }
    work.serial_bytes += applied / kBandwidthShare;
    work.launches += 1;
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override;
};

Result<StepDraft> NormedConvolution::draft(const Group& group, const Setting& setting) const {
  const std::optional<NormedOutput> normed = normed_output(group);
  if (!normed.has_value()) {
    return failure(ErrorCode::kUnsupportedOperator, "what is normalised is not whole channels of the convolution");
  }
  const ConvolutionProblem problem = problem_of_normed(group);
  const MomentSetting own = *moment_setting(setting);
  StepBuilder step(group);
  step.include("kernels/conv/normed.cuh");
  describe_moments(step, problem, own);
  step.describe("What is stored meanwhile lies in scratch memory; a third launch reads and normalises it.");
  STITCH_ASSIGN(const LoweredFunctor element, make_moment_element(step, normed->output));
  construct(step, element, "element");
  STITCH_ASSIGN(const LoweredFunctor store, make_layer_norm_store(step, *normed->norm, normed->axes));
  construct(step, store, "store");
  add_problem(step, problem);
  const int64_t kept_bytes = kept_bytes_of(group, *normed);
  const int64_t own_bytes = kept_bytes + moments_scratch_bytes(problem, own, true);
  const ConvolutionLayout layout = convolution_layout(group);
  const OwnOperands operands = add_turning(step, problem, layout, own_bytes);
  step.set_scratch_bytes(own_bytes + turning_bytes(problem, layout));
  const Expr rows = step.extent("rows", normed->axes.row_count);
  const Expr columns = step.extent("columns", normed->axes.column_count);
  const Expr vectorised = prove_vectorised(step, columns, {{&store, "store"}});
  step.launch("const stitch::RowShape rows{{{}, {}, {}}};", rows, columns, vectorised);
  step.launch("const auto convolve = [&](const auto& epilogue, bool by_four, const auto& keep, const auto& of_norm,");
  step.launch("                          void* scratch) {");
  step.launch("  return stitch::{}(", moments_launch(problem, own));
  step.launch("      shape, {}, {}, element, epilogue, by_four, keep, of_norm, scratch, stream);", operands.input,
              operands.weight);
  step.launch("};");
  step.launch("return stitch::launch_normed_convolution(shape, convolve, store, rows, {}, {}, args->scratch, stream);",
              step.extent("channels_of_row", normed->channels),
              step.constant("epsilon", float_literal(ir::double_attribute(*normed->norm, "eps"))));
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_normed_convolution() { return std::make_unique<NormedConvolution>(); }

}  // namespace stitch::kernels
