// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/mapped.h"

#include <algorithm>
#include <functional>
#include <set>

#include "ir/graph/op.h"
#include "kernels/conv/epilogue.h"
#include "kernels/conv/launch.h"
#include "kernels/conv/layout.h"
#include "kernels/conv/mapped_setting.h"
#include "kernels/conv/rounding.h"
#include "kernels/expression/expression.h"
#include "kernels/group/in_place.h"
#include "kernels/lowering/functor_builder.h"

namespace stitch::kernels {
namespace {

ir::ValueId mapped_value(const Group& group) { return ir::tensor_operand(group.root_node(), 0); }

// Everything that the root's input is computed from, itself included.
std::set<ir::ValueId> values_before(const Group& group) {
  std::set<ir::ValueId> before;
  const std::function<void(ir::ValueId)> walk = [&](ir::ValueId value) {
    if (!before.insert(value).second || !group.computes(value)) {
      return;
    }
    for (const ir::Operand& operand : group.graph->node(group.graph->value(value).producer).operands) {
      if (ir::is_tensor(operand)) {
        walk(std::get<ir::ValueId>(operand));
      }
    }
  };
  walk(mapped_value(group));
  return before;
}

// The only one of the input's shape that is read from memory.
std::optional<ir::ValueId> tensor_before(const Group& group, const std::set<ir::ValueId>& before) {
  const TensorType& type = group.graph->type(mapped_value(group));
  std::optional<ir::ValueId> found;
  for (const ir::ValueId operand : group.operands) {
    const TensorType& other = group.graph->type(operand);
    if (before.count(operand) == 0 || other.shape != type.shape || other.dtype != type.dtype) {
      continue;
    }
    if (found.has_value()) {
      return std::nullopt;
    }
    found = operand;
  }
  return found;
}

// By the root alone, and once.
bool is_read_once(const Group& group, ir::ValueId value) {
  int64_t count = 0;
  for (const ir::NodeId id : group.nodes) {
    count += uses(group.graph->node(id), value);
  }
  return count == 1;
}

Result<LoweredFunctor> make_map(StepBuilder& step, ir::ValueId from, std::vector<Coordinate> coordinates) {
  const ir::ValueId mapped = mapped_value(step.group());
  const ir::Graph& graph = *step.group().graph;
  const Domain domain(graph.type(mapped).shape);
  const IndexMap map = domain.anchor_map();
  FunctorBuilder builder(step, pascal_case(graph.value(mapped).name) + "Map", domain, std::move(coordinates));
  builder.bind(from, map, bound("value"));
  STITCH_ASSIGN(Expr element, builder.value(mapped, map));
  return builder.finish({.comment = "What the convolution takes for an element of a channel of its input.",
                         .extra_parameters = "float value",
                         .returns = std::move(element)});
}

// Whether images and pixels are the same to the map.
bool depends_on_channels_alone(const Group& group, ir::ValueId from) {
  StepBuilder probe(group);
  const size_t rank = group.graph->type(from).shape.size();
  const Result<LoweredFunctor> map = make_map(probe, from, numbered_pixel_coordinates(rank));
  if (!map.has_value()) {
    return false;
  }
  const std::vector<Place>& places = map->tree.places;  // image, channel, pixel
  return !places.front().is_used() && !places.back().is_used();
}

ConvolutionProblem problem_of_mapped(const Group& group) { return with_last_axis_joined(convolution_problem(group)); }

// Lane operations of an element of the input.
double operations_of_map(const Group& group) {
  double operations = 0;
  const std::vector<int64_t>& shape = group.graph->type(mapped_value(group)).shape;
  for (const ir::ValueId value : values_before(group)) {
    if (group.computes(value) && group.graph->type(value).shape == shape) {
      const ir::Node& node = group.graph->node(group.graph->value(value).producer);
      operations += is_elementwise(node) ? lane_operations(node) : 0;
    }
  }
  return operations;
}

class MappedConvolution final : public KernelTemplate {
 public:
  const char* name() const override { return kMappedConvolution; }

  // Never the first to say so: convolutions come before it.
  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return is_convolution(node) && graph.type(node.outputs[0]).dtype == DataType::kFloat32;
  }

  std::vector<Setting> space(const Group& group, const DeviceLimits& limits, MathMode math) const override {
    if (!mapped_from(group).has_value()) {
      return {};
    }
    return mapped_settings(problem_of_mapped(group), operand_rounding(convolution_problem(group), math), limits,
                           keeps_weights(group));
  }

  bool allows(const Group& group, const Setting& setting) const override {
    const std::optional<ConvolutionSetting> own = mapped_setting(setting);
    return own.has_value() && mapped_from(group).has_value() &&
           allows_mapped(problem_of_mapped(group), *own, keeps_weights(group));
  }

  Work work(const Group& group, const Setting& setting) const override {
    Work work;
    work.bytes = min_bytes(group);
    work.lane_operations = pointwise_operations(group);
    add_mapped_work(group, problem_of_mapped(group), *mapped_setting(setting), operations_of_map(group), work);
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override;
};

Result<StepDraft> MappedConvolution::draft(const Group& group, const Setting& setting) const {
  const std::optional<ir::ValueId> from = mapped_from(group);
  if (!from.has_value()) {
    return failure(ErrorCode::kUnsupportedOperator, "what is convolved is not one tensor mapped by channels");
  }
  const ConvolutionProblem problem = problem_of_mapped(group);
  const ConvolutionSetting own = *mapped_setting(setting);
  StepBuilder step(group);
  describe_mapped(step, own);
  STITCH_ASSIGN(const LoweredFunctor map, make_map(step, *from, {{"channel", {1}}}));
  construct(step, map, "map");
  const PixelNames names = own.takes_lanes() ? PixelNames::kNumber : PixelNames::kAxes;
  STITCH_ASSIGN(const LoweredFunctor epilogue, make_epilogue(step, problem.window.axes(), names));
  construct(step, epilogue, "epilogue");
  add_problem(step, problem, *from);
  if (!own.may_keep_weights()) {
    step.launch("return stitch::launch_conv_{}<{}>(", family_of(own), mapped_arguments(own));
    step.launch("    shape, input, weight, epilogue, stream, map);");
    return step.take();
  }
  const Expr vectorised = prove_pixel_lanes(step, problem, {&epilogue, "epilogue"});
  add_keeping(step, problem, own);
  step.launch("return stitch::launch_conv_kept_{}<{}>(", family_of(own), mapped_arguments(own));
  step.launch("    shape, input, weight, epilogue, {}, args->kept, stream, map);", vectorised);
  return step.take();
}

}  // namespace

std::optional<ir::ValueId> mapped_from(const Group& group) {
  const ir::ValueId mapped = mapped_value(group);
  if (!group.computes(mapped) || group.graph->type(mapped).dtype != DataType::kFloat32 ||
      !convolution_layout(group).weight_first || !is_read_once(group, mapped)) {
    return std::nullopt;
  }
  const std::set<ir::ValueId> before = values_before(group);
  const bool is_stored = std::any_of(group.results.begin(), group.results.end(),
                                     [&](ir::ValueId result) { return before.count(result) > 0; });
  const std::optional<ir::ValueId> from = tensor_before(group, before);
  return !is_stored && from.has_value() && depends_on_channels_alone(group, *from) ? from : std::nullopt;
}

std::unique_ptr<KernelTemplate> make_mapped_convolution() { return std::make_unique<MappedConvolution>(); }

}  // namespace stitch::kernels
