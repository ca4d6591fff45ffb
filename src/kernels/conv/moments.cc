// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/moments.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "ir/graph/op.h"
#include "kernels/conv/direct_rows.h"
#include "kernels/conv/launch.h"
#include "kernels/conv/rounding.h"
#include "kernels/conv/turning.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/reduce/total_store.h"

namespace stitch::kernels {
namespace {

constexpr int64_t kMomentBytes = 12;  // mean, squared deviations and count

// What of the group's convolution is reduced, and along what.
struct ReducedOutput {
  ir::NodeId reduction;  // the first of those of one pass
  ir::ValueId output;    // stored besides
  std::vector<ir::ValueId> totals;
  bool by_image = false;
};

// Means of channels, of all images or of each: every other axis is reduced.
std::optional<bool> reduces_by_image(const ir::Node& reduction, size_t rank) {
  std::vector<int64_t> dims = ir::ints_attribute(reduction, "dim");
  std::sort(dims.begin(), dims.end());
  std::vector<int64_t> pixels(rank - 2);
  std::iota(pixels.begin(), pixels.end(), int64_t{2});
  if (dims == pixels) {
    return true;
  }
  pixels.insert(pixels.begin(), 0);
  return dims == pixels ? std::optional(false) : std::nullopt;
}

// nullopt where the group is of another kind.
std::optional<ReducedOutput> reduced_output(const Group& group) {
  const ir::Graph& graph = *group.graph;
  const auto first =
      std::find_if(group.nodes.begin(), group.nodes.end(), [&](ir::NodeId id) { return is_reduction(graph.node(id)); });
  if (first == group.nodes.end() || group.results.size() < 2) {
    return std::nullopt;
  }
  const ir::Node& reduction = graph.node(*first);
  ReducedOutput reduced{*first, ir::tensor_operand(reduction, 0), {}};
  const TensorType& type = graph.type(reduced.output);
  if (type.shape != graph.type(group.root_node().outputs[0]).shape || type.dtype != DataType::kFloat32) {
    return std::nullopt;
  }
  const std::optional<bool> by_image = reduces_by_image(reduction, type.shape.size());
  const auto accumulator = choose_accumulator(graph, reductions_of(group, reduction));
  if (!by_image.has_value() || !accumulator.has_value() || accumulator->bytes != kMomentBytes) {
    return std::nullopt;
  }
  reduced.by_image = *by_image;
  bool is_stored = false;
  for (const ir::ValueId result : group.results) {
    if (result == reduced.output) {
      is_stored = true;
    } else if (graph.type(result).element_count() == graph.type(reduction.outputs[0]).element_count()) {
      reduced.totals.push_back(result);
    } else {
      return std::nullopt;
    }
  }
  return is_stored ? std::optional(reduced) : std::nullopt;
}

Result<LoweredFunctor> make_element(StepBuilder& step, const ReducedOutput& reduced) {
  const ir::Graph& graph = *step.group().graph;
  const ir::Node& root = step.group().root_node();
  const Domain domain(graph.type(root.outputs[0]).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(reduced.output).name) + "Element", domain,
                         numbered_pixel_coordinates(domain.shape().size()));
  const IndexMap map = domain.anchor_map();
  if (root.operands.size() > 2 && ir::is_tensor(root.operands[2])) {
    STITCH_ASSIGN(Expr bias, builder.value(ir::tensor_operand(root, 2), {map[1]}));
    builder.bind_computation(root.outputs[0], map, sum(bound("accumulator"), std::move(bias)));
  } else {
    builder.bind(root.outputs[0], map, bound("accumulator"));
  }
  STITCH_ASSIGN(Expr element, builder.value(reduced.output, map));
  return builder.finish({.comment = "What is stored, and reduced, of one output pixel of one channel.",
                         .extra_parameters = "float accumulator",
                         .returns = std::move(element)});
}

Result<LoweredFunctor> make_epilogue(StepBuilder& step, const ReducedOutput& reduced) {
  const ir::Graph& graph = *step.group().graph;
  const Domain domain(graph.type(reduced.output).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(reduced.output).name) + "Epilogue", domain,
                         numbered_pixel_coordinates(domain.shape().size()));
  builder.bind(reduced.output, domain.anchor_map(), bound("element", "elements[lane]"));
  STITCH_TRY(builder.store_results({reduced.output}));
  return builder.finish({.comment = "Stores one output pixel of one channel, or neighbouring ones.",
                         .lane_value = "element",
                         .may_take_lanes = true});
}

class ConvolutionMoments final : public KernelTemplate {
 public:
  const char* name() const override { return kConvolutionMoments; }

  // Never the first to say so: convolutions come before it.
  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return is_convolution(node) && graph.type(node.outputs[0]).dtype == DataType::kFloat32;
  }

  std::vector<ir::ValueId> store_first(const Group& group) const override {
    const ConvolutionLayout layout = convolution_layout(group);
    std::vector<ir::ValueId> missing;
    for (const auto& [operand, is_known] : {std::pair{size_t{0}, layout.input_first || layout.input_last},
                                            std::pair{size_t{1}, layout.weight_first || layout.weight_last}}) {
      if (!is_known) {
        missing.push_back(ir::tensor_operand(group.root_node(), operand));
      }
    }
    return missing;
  }

  std::vector<Setting> space(const Group& group, const DeviceLimits& limits, MathMode math) const override {
    const ConvolutionProblem problem = convolution_problem(group);
    const bool is_exact = operand_rounding(problem, math) != OperandRounding::kRequired;
    return is_exact && reduced_output(group).has_value() ? direct_rows_settings(problem, limits)
                                                         : std::vector<Setting>{};
  }

  bool allows(const Group& group, const Setting& setting) const override {
    const std::optional<DirectRowsSetting> rows = direct_rows_setting(setting);
    return rows.has_value() && reduced_output(group).has_value() &&
           allows_direct_rows(convolution_problem(group), *rows);
  }

  Work work(const Group& group, const Setting& setting) const override {
    const ConvolutionProblem problem = convolution_problem(group);
    Work work;
    work.bytes = min_bytes(group);
    work.lane_operations = pointwise_operations(group);
    add_turning_work(problem, convolution_layout(group), work);
    add_direct_rows_work(problem, *direct_rows_setting(setting), work);
    // Two passes over what a lane has of each product: some seven issue slots an output, that tensor cores and memory
    // wait for. As bytes that memory would read meanwhile.
    constexpr double kBytesOfOutput = 1.5;
    const int64_t bytes = part_bytes(group, setting);
    work.serial_bytes += kBytesOfOutput * static_cast<double>(problem.outputs()) + static_cast<double>(bytes);
    work.extra_bytes += static_cast<double>(bytes);
    work.launches += 1;
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override;

 private:
  static int64_t part_bytes(const Group& group, const Setting& setting) {
    const ConvolutionProblem problem = convolution_problem(group);
    const bool by_image = reduced_output(group)->by_image;
    return (by_image ? problem.batch : 1) * problem.out_channels *
           direct_rows_parts(problem, *direct_rows_setting(setting), by_image) * kMomentBytes;
  }
};

Result<StepDraft> ConvolutionMoments::draft(const Group& group, const Setting& setting) const {
  const std::optional<ReducedOutput> reduced = reduced_output(group);
  if (!reduced.has_value()) {
    return failure(ErrorCode::kUnsupportedOperator, "what is reduced is not what the convolution stores");
  }
  const ir::Node& reduction = group.graph->node(reduced->reduction);
  const ConvolutionProblem problem = convolution_problem(group);
  const DirectRowsSetting rows = *direct_rows_setting(setting);
  StepBuilder step(group);
  step.include("kernels/conv/direct_rows_moments.cuh");
  describe_direct_rows(step);
  step.describe("A lane takes mean and squared deviations of what it has of a channel; a second launch joins these.");
  STITCH_ASSIGN(const LoweredFunctor element, make_element(step, *reduced));
  construct(step, element, "element");
  STITCH_ASSIGN(const LoweredFunctor epilogue, make_epilogue(step, *reduced));
  construct(step, epilogue, "epilogue");
  STITCH_ASSIGN(const AccumulatorKind accumulator, choose_accumulator(*group.graph, reductions_of(group, reduction)));
  STITCH_ASSIGN(const LoweredFunctor store, make_total_store(step, reduction, accumulator, {}, reduced->totals));
  construct(step, store, "store");
  add_problem(step, problem);
  const Expr vectorised = prove_pixel_lanes(step, problem, {&epilogue, "epilogue"});
  const ConvolutionLayout layout = convolution_layout(group);
  const int64_t own_bytes = part_bytes(group, setting);
  const OwnOperands operands = add_turning(step, problem, layout, own_bytes);
  step.set_scratch_bytes(own_bytes + turning_bytes(problem, layout));
  step.launch("// Rows of what is reduced: of so many channels, {}.",
              reduced->by_image ? "each image by itself" : "all images together");
  step.launch("const stitch::MomentRows rows{{1, {}}};", reduced->by_image);
  step.launch("return stitch::launch_conv_direct_rows_moments<{}>(", direct_rows_arguments(problem, rows));
  step.launch("    shape, {}, {}, element, epilogue, {}, store, rows, args->scratch, stream);", operands.input,
              operands.weight, vectorised);
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_convolution_moments() { return std::make_unique<ConvolutionMoments>(); }

}  // namespace stitch::kernels
