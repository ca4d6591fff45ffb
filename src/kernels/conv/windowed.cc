// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/windowed.h"

#include <fmt/format.h>

#include "kernels/conv/direct_windows.h"
#include "kernels/conv/join_chain.h"
#include "kernels/conv/joined_element.h"
#include "kernels/conv/launch.h"
#include "kernels/conv/layout.h"
#include "kernels/conv/rounding.h"
#include "kernels/conv/turning.h"
#include "kernels/lowering/launch_text.h"

namespace stitch::kernels {
namespace {

// Of what the pool leaves: the axes that are kept.
std::vector<Coordinate> coordinates_left(const JoinChain& chain) {
  constexpr std::array kNames = {"z", "y", "x"};
  std::vector<Coordinate> coordinates = {{"image", {0}}, {"channel", {1}}};
  for (size_t axis = 0; axis < kNames.size(); ++axis) {
    if (chain.kept[axis]) {
      coordinates.push_back({std::string("pooled_") + kNames[axis], {static_cast<int>(coordinates.size())}});
    }
  }
  return coordinates;
}

// What leads from `known`, bound to "value", to `wanted` at the same place.
Result<LoweredFunctor> make_between(StepBuilder& step, ir::ValueId known, ir::ValueId wanted,
                                    std::vector<Coordinate> coordinates, const char* comment) {
  const ir::Graph& graph = *step.group().graph;
  const Domain domain(graph.type(known).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(wanted).name) + "Element", domain, std::move(coordinates));
  const IndexMap map = domain.anchor_map();
  builder.bind(known, map, bound("value"));
  STITCH_ASSIGN(Expr element, builder.value(wanted, map));
  return builder.finish({.comment = comment, .extra_parameters = "float value", .returns = std::move(element)});
}

Result<LoweredFunctor> make_store_of_windows(StepBuilder& step, const JoinChain& chain) {
  const ir::Graph& graph = *step.group().graph;
  const Domain domain(graph.type(chain.left()).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(step.group().results[0]).name) + "Store", domain,
                         coordinates_left(chain));
  builder.bind(chain.left(), domain.anchor_map(), bound("value"));
  STITCH_TRY(builder.store_results());
  return builder.finish({.comment = "Stores what follows from one pooled element.", .extra_parameters = "float value"});
}

const char* softmax_type(const ir::Node* softmax) {
  return softmax != nullptr ? "stitch::SoftmaxOfChannels" : "stitch::NoSoftmax";
}

const char* truth(bool value) { return value ? "true" : "false"; }

class WindowedConvolution final : public KernelTemplate {
 public:
  const char* name() const override { return kWindowedConvolution; }

  // Never the first to say so: convolutions come before it.
  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return is_convolution(node) && graph.type(node.outputs[0]).dtype == DataType::kFloat32;
  }

  std::vector<ir::ValueId> store_first(const Group& group) const override {
    const ConvolutionLayout layout = convolution_layout(group);
    std::vector<ir::ValueId> missing;
    if (!layout.input_first && !layout.input_last) {
      missing.push_back(ir::tensor_operand(group.root_node(), 0));
    }
    if (!layout.weight_first && !layout.weight_last) {
      missing.push_back(ir::tensor_operand(group.root_node(), 1));
    }
    return missing;
  }

  std::vector<Setting> space(const Group& group, const DeviceLimits& limits, MathMode math) const override {
    const ConvolutionProblem problem = convolution_problem(group);
    const std::optional<JoinChain> chain = join_chain(group, problem);
    return chain.has_value() && operand_rounding(problem, math) != OperandRounding::kRequired
               ? direct_windows_settings(problem, *chain, limits)
               : std::vector<Setting>{};
  }

  bool allows(const Group& group, const Setting& setting) const override {
    const ConvolutionProblem problem = convolution_problem(group);
    const std::optional<JoinChain> chain = join_chain(group, problem);
    const std::optional<DirectWindowsSetting> own = direct_windows_setting(setting);
    return chain.has_value() && own.has_value() && allows_direct_windows(problem, *chain, *own);
  }

  Work work(const Group& group, const Setting& setting) const override {
    const ConvolutionProblem problem = convolution_problem(group);
    Work work;
    work.bytes = min_bytes(group);
    work.lane_operations = pointwise_operations(group);
    add_turning_work(problem, convolution_layout(group), work);
    add_direct_windows_work(problem, *join_chain(group, problem), *direct_windows_setting(setting), work);
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override;
};

// The functors of a chain, as they are passed.
struct ChainNames {
  std::string between = "stitch::AsItIs{}";
  std::string after = "stitch::AsItIs{}";
};

Result<ChainNames> add_functors(StepBuilder& step, const JoinChain& chain) {
  ChainNames names;
  STITCH_ASSIGN(const LoweredFunctor element, make_joined_element(step, chain.first()));
  construct(step, element, "element");
  if (chain.before != nullptr) {
    const size_t rank = step.group().graph->type(chain.pooled()).shape.size();
    STITCH_ASSIGN(const LoweredFunctor between,
                  make_between(step, chain.before->outputs[0], chain.pooled(), pixel_coordinates(rank, "out_"),
                               "What is pooled, from what the softmax makes of one output pixel of one channel."));
    construct(step, between, "between");
    names.between = "between";
  }
  if (chain.behind != nullptr) {
    STITCH_ASSIGN(const LoweredFunctor after,
                  make_between(step, chain.pool->outputs[0], ir::tensor_operand(*chain.behind, 0),
                               coordinates_left(chain), "What the softmax takes, from one pooled element."));
    construct(step, after, "after");
    names.after = "after";
  }
  STITCH_ASSIGN(const LoweredFunctor store, make_store_of_windows(step, chain));
  construct(step, store, "store");
  return names;
}

Result<StepDraft> WindowedConvolution::draft(const Group& group, const Setting& setting) const {
  const ConvolutionProblem problem = convolution_problem(group);
  const JoinChain chain = *join_chain(group, problem);
  StepBuilder step(group);
  step.include("kernels/conv/direct_fp16_pool.cuh");
  describe_direct_windows(step, chain);
  STITCH_ASSIGN(const ChainNames names, add_functors(step, chain));
  add_problem(step, problem);
  const ConvolutionLayout layout = convolution_layout(group);
  const OwnOperands operands = add_turning(step, problem, layout, 0);
  step.set_scratch_bytes(turning_bytes(problem, layout));
  const int64_t count = divisor_of_windows(chain);
  const Expr divisor =
      count == 1 ? literal_expr(int_literal(1)) : cast("float", step.extent("divisor", count, "elements of a window"));
  const Expr depth = step.extent("windows_deep", chain.counts[0]);
  const Expr height = step.extent("windows_down", chain.counts[1]);
  const Expr width = step.extent("windows_across", chain.counts[2]);
  step.launch("// Windows: {} by {} by {}.", chain.window[0], chain.window[1], chain.window[2]);
  step.launch("using Tile = {};", direct_windows_tile(problem, chain, *direct_windows_setting(setting)));
  step.launch("using Kept = stitch::KeptAxes<{}, {}, {}>;", truth(chain.kept[0]), truth(chain.kept[1]),
              truth(chain.kept[2]));
  step.launch("const auto chain = stitch::window_chain<{}, Kept, {}, {}>(", join_of_windows(*chain.pool),
              softmax_type(chain.before), softmax_type(chain.behind));
  step.launch("    element, {}, {}, store, {{{}, {}, {}}}, {});", names.between, names.after, depth, height, width,
              divisor);
  step.launch("return stitch::launch_conv_direct_fp16_pool<Tile, Window>(shape, {}, {}, chain, stream);",
              operands.input, operands.weight);
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_windowed_convolution() { return std::make_unique<WindowedConvolution>(); }

}  // namespace stitch::kernels
