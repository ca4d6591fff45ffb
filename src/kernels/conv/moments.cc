// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/moments.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "ir/graph/op.h"
#include "kernels/conv/launch.h"
#include "kernels/conv/moment_setting.h"
#include "kernels/conv/rounding.h"
#include "kernels/conv/turning.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/reduce/total_store.h"

namespace stitch::kernels {
namespace {

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
  if (!by_image.has_value() || !accumulator.has_value() || !accumulator->has_moments()) {
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

Result<LoweredFunctor> make_reduced_epilogue(StepBuilder& step, const ReducedOutput& reduced) {
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

// As our own kernels take it.
ConvolutionProblem joined_problem(const Group& group) { return with_last_axis_joined(convolution_problem(group)); }

class ConvolutionMoments final : public KernelTemplate {
 public:
  const char* name() const override { return kConvolutionMoments; }

  // Never the first to say so: convolutions come before it.
  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return is_convolution(node) && graph.type(node.outputs[0]).dtype == DataType::kFloat32;
  }

  std::vector<ir::ValueId> store_first(const Group& group) const override { return operands_without_layout(group); }

  std::vector<Setting> space(const Group& group, const DeviceLimits& limits, MathMode math) const override {
    return reduced_output(group).has_value()
               ? moment_settings(joined_problem(group), operand_rounding(convolution_problem(group), math), limits)
               : std::vector<Setting>{};
  }

  bool allows(const Group& group, const Setting& setting) const override {
    const std::optional<MomentSetting> own = moment_setting(setting);
    return own.has_value() && reduced_output(group).has_value() && allows_moments(joined_problem(group), *own);
  }

  Work work(const Group& group, const Setting& setting) const override {
    Work work;
    work.bytes = min_bytes(group);
    work.lane_operations = pointwise_operations(group);
    add_moments_work(group, joined_problem(group), *moment_setting(setting), reduced_output(group)->by_image, work);
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override;
};

Result<StepDraft> ConvolutionMoments::draft(const Group& group, const Setting& setting) const {
  const std::optional<ReducedOutput> reduced = reduced_output(group);
  if (!reduced.has_value()) {
    return failure(ErrorCode::kUnsupportedOperator, "what is reduced is not what the convolution stores");
  }
  const ir::Node& reduction = group.graph->node(reduced->reduction);
  const ConvolutionProblem problem = joined_problem(group);
  const MomentSetting own = *moment_setting(setting);
  StepBuilder step(group);
  describe_moments(step, problem, own);
  STITCH_ASSIGN(const LoweredFunctor element, make_moment_element(step, reduced->output));
  construct(step, element, "element");
  STITCH_ASSIGN(const LoweredFunctor epilogue, make_reduced_epilogue(step, *reduced));
  construct(step, epilogue, "epilogue");
  STITCH_ASSIGN(const AccumulatorKind accumulator, choose_accumulator(*group.graph, reductions_of(group, reduction)));
  STITCH_ASSIGN(const LoweredFunctor store, make_total_store(step, reduction, accumulator, {}, reduced->totals));
  construct(step, store, "store");
  add_problem(step, problem);
  const Expr vectorised = prove_pixel_lanes(step, problem, {&epilogue, "epilogue"});
  const ConvolutionLayout layout = convolution_layout(group);
  const int64_t own_bytes = moments_scratch_bytes(problem, own, reduced->by_image);
  const OwnOperands operands = add_turning(step, problem, layout, own_bytes);
  step.set_scratch_bytes(own_bytes + turning_bytes(problem, layout));
  step.launch("return stitch::{}(", moments_launch(problem, own));
  step.launch("    shape, {}, {}, element, epilogue, {}, store, stitch::{}, args->scratch, stream);", operands.input,
              operands.weight, vectorised, reduced->by_image ? "ImageRows{1}" : "ChannelRows{}");
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_convolution_moments() { return std::make_unique<ConvolutionMoments>(); }

}  // namespace stitch::kernels
