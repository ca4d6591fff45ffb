// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/pooled.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ir/graph/op.h"
#include "kernels/conv/direct.h"
#include "kernels/conv/direct_mma.h"
#include "kernels/conv/direct_rows.h"
#include "kernels/conv/joined_element.h"
#include "kernels/conv/launch.h"
#include "kernels/conv/patch_pool.h"
#include "kernels/conv/rounding.h"
#include "kernels/conv/turning.h"
#include "kernels/group/joined_pool.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"

namespace stitch::kernels {
namespace {

using ir::Op;

constexpr size_t kImageRank = 4;

bool is_plane_reduction(const ir::Node& node) {
  return (node.op == Op::kMean || node.op == Op::kSum) && !is_channel_reduction(node);
}
bool is_window_pool(const ir::Node& node) { return node.op == Op::kAvgPool2d || node.op == Op::kMaxPool2d; }

bool takes_windows(const ir::Graph& graph, const ir::Node& node) {
  const std::vector<int64_t>& kernel = ir::ints_attribute(node, "kernel_size");
  return graph.type(ir::tensor_operand(node, 0)).shape.size() == kImageRank && has_whole_windows(graph, node) &&
         kDirectRowsOfThread % kernel[0] == 0 && kDirectColumns % kernel[1] == 0;
}

bool takes_planes(const ir::Graph& graph, const ir::Node& node) {
  std::vector<int64_t> planes(graph.type(ir::tensor_operand(node, 0)).shape.size() - 2);
  std::iota(planes.begin(), planes.end(), int64_t{2});
  std::vector<int64_t> axes = ir::ints_attribute(node, "dim");
  std::sort(axes.begin(), axes.end());
  return axes == planes;
}

// The pool of what this group's convolution computes; null where it is of something else.
const ir::Node* pool_of(const Group& group) {
  const ir::Graph& graph = *group.graph;
  const ir::Node* pool = only_node_beside_root(group);
  const ir::ValueId sums = group.root_node().outputs[0];
  return pool != nullptr && pool->outputs.size() == 1 && !pool->operands.empty() && ir::is_tensor(pool->operands[0]) &&
                 graph.type(ir::tensor_operand(*pool, 0)).shape == graph.type(sums).shape &&
                 graph.type(pool->outputs[0]).dtype == DataType::kFloat32
             ? pool
             : nullptr;
}

// Whether direct convolutions can pool it.
bool takes_directly(const Group& group, const ir::Node& pool) {
  const ir::Graph& graph = *group.graph;
  return (is_window_pool(pool) && takes_windows(graph, pool)) ||
         (is_plane_reduction(pool) && takes_planes(graph, pool));
}

// Windows side by side of images that whole rows of the convolution may be pooled by, or whole planes.
std::optional<PooledWindow> window_of_rows(const ir::Graph& graph, const ir::Node& pool) {
  if (is_plane_reduction(pool)) {
    return takes_planes(graph, pool) ? std::optional(PooledWindow{.is_plane = true}) : std::nullopt;
  }
  if (!is_window_pool(pool) || graph.type(ir::tensor_operand(pool, 0)).shape.size() != kImageRank ||
      !has_whole_windows(graph, pool)) {
    return std::nullopt;
  }
  const std::vector<int64_t>& kernel = ir::ints_attribute(pool, "kernel_size");
  return PooledWindow{kernel[0], kernel[1]};
}

// By which skeleton it convolves: on the ordinary pipes by blocks of so many channels, on the tensor cores, where only
// planes are pooled, or by whole rows, or by patches, where windows and channels are joined.
struct PooledSetting {
  int64_t channels = 0;
  std::optional<DirectMmaSetting> mma{};
  std::optional<DirectRowsSetting> rows{};
  std::optional<PatchSetting> patch{};
};

std::optional<PooledSetting> pooled_setting(const Setting& setting) {
  if (const std::optional<PatchSetting> patch = patch_setting(setting); patch.has_value()) {
    return PooledSetting{.patch = patch};
  }
  if (const std::optional<DirectRowsSetting> rows = direct_rows_setting(setting); rows.has_value()) {
    return PooledSetting{.rows = rows};
  }
  const std::optional<DirectMmaSetting> mma = direct_mma_setting(setting);
  const std::optional<int64_t> channels = mma.has_value() ? mma->channels : direct_channels(setting);
  return channels.has_value() ? std::optional(PooledSetting{.channels = *channels, .mma = mma}) : std::nullopt;
}

// Parts of a plane whose sums are kept: a thread's eight rows by a warp's columns, or what the tensor cores have.
int64_t parts_of_plane(const ConvolutionProblem& problem, const PooledSetting& setting) {
  if (setting.mma.has_value()) {
    return direct_mma_parts_of_plane(problem, *setting.mma);
  }
  if (setting.rows.has_value()) {
    return direct_rows_parts_of_plane(problem, *setting.rows);
  }
  const auto tiles = [](int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; };
  const size_t y = problem.window.axes() - 2;
  const int64_t rows = direct_rows(problem, setting.channels);
  const int64_t down = tiles(problem.out[y], rows) * (rows / kDirectRowsOfThread);
  return (y > 0 ? problem.out[0] : 1) * down * tiles(problem.out[y + 1], kDirectColumns);
}

// Of what is left: by channel, or of all channels by pixel alone.
std::vector<Coordinate> stored_coordinates(const ir::Graph& graph, const ir::Node& pool) {
  const size_t rank = graph.type(pool.outputs[0]).shape.size();
  if (!is_channel_reduction(pool)) {
    const size_t axes = graph.type(ir::tensor_operand(pool, 0)).shape.size();
    return is_plane_reduction(pool) ? pixel_coordinates(2, "") : pixel_coordinates(axes, "pooled_");
  }
  const size_t pixels = graph.type(ir::tensor_operand(pool, 0)).shape.size() - 2;
  std::vector<Coordinate> coordinates = {{"image", {0}}};
  for (const std::string& name : axis_names(pixels, "out_")) {
    coordinates.push_back({name, {static_cast<int>(rank - pixels + coordinates.size() - 1)}});
  }
  return coordinates;
}

Result<LoweredFunctor> make_store(StepBuilder& step, const ir::Node& pool) {
  const ir::Graph& graph = *step.group().graph;
  const Domain domain(graph.type(pool.outputs[0]).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(step.group().results[0]).name) + "Store", domain,
                         stored_coordinates(graph, pool));
  builder.bind(pool.outputs[0], domain.anchor_map(), bound("value"));
  STITCH_TRY(builder.store_results());
  return builder.finish({.comment = "Stores what follows from one pooled element.", .extra_parameters = "float value"});
}

class PooledConvolution final : public KernelTemplate {
 public:
  const char* name() const override { return kPooledConvolution; }

  // Never the first to say so: convolutions come before it.
  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return is_convolution(node) && graph.type(node.outputs[0]).dtype == DataType::kFloat32;
  }

  std::vector<ir::ValueId> store_first(const Group& group) const override { return operands_without_layout(group); }

  std::vector<Setting> space(const Group& group, const DeviceLimits& limits, MathMode math) const override {
    const ConvolutionProblem problem = convolution_problem(group);
    const ir::Node* pool = pool_of(group);
    if (pool == nullptr) {
      return {};
    }
    const OperandRounding rounding = operand_rounding(problem, math);
    const bool is_direct = takes_directly(group, *pool) && rounding != OperandRounding::kRequired;
    std::vector<Setting> settings = is_direct ? direct_settings(problem) : std::vector<Setting>{};
    if (is_direct && is_plane_reduction(*pool)) {
      const std::vector<Setting> mma = direct_mma_settings(problem, limits);
      settings.insert(settings.end(), mma.begin(), mma.end());
    }
    if (const auto window = window_of_rows(*group.graph, *pool);
        window.has_value() && rounding != OperandRounding::kRequired) {
      const std::vector<Setting> rows = direct_rows_settings(problem, limits, *window);
      settings.insert(settings.end(), rows.begin(), rows.end());
    }
    // Three products of parts are for what has no skeleton of its own.
    const bool has_exact = rounding == OperandRounding::kNone && !settings.empty();
    if (const auto join = patch_join(*group.graph, problem, *pool); join.has_value() && !has_exact) {
      const std::vector<Setting> patch = patch_settings(problem, rounding, limits, &*join);
      settings.insert(settings.end(), patch.begin(), patch.end());
    }
    return settings;
  }

  bool allows(const Group& group, const Setting& setting) const override {
    const std::optional<PooledSetting> own = pooled_setting(setting);
    const ir::Node* pool = pool_of(group);
    if (!own.has_value() || pool == nullptr) {
      return false;
    }
    const ConvolutionProblem problem = convolution_problem(group);
    if (own->patch.has_value()) {
      const std::optional<PatchJoin> join = patch_join(*group.graph, problem, *pool);
      return join.has_value() && allows_patch_pool(problem, *join, *own->patch);
    }
    if (own->rows.has_value()) {
      const std::optional<PooledWindow> window = window_of_rows(*group.graph, *pool);
      return window.has_value() && allows_direct_rows(problem, *own->rows, *window);
    }
    return takes_directly(group, *pool) &&
           (own->mma.has_value() ? is_plane_reduction(*pool) && allows_direct_mma(problem, *own->mma)
                                 : allows_direct(problem, own->channels));
  }

  Work work(const Group& group, const Setting& setting) const override {
    const ConvolutionProblem problem = convolution_problem(group);
    const PooledSetting own = *pooled_setting(setting);
    const ir::Node& pool = *pool_of(group);
    Work work;
    work.bytes = min_bytes(group);
    work.lane_operations = pointwise_operations(group);
    add_turning_work(problem, convolution_layout(group), work);
    if (own.patch.has_value()) {
      add_patch_pool_work(problem, *patch_join(*group.graph, problem, pool), *own.patch, work);
      return work;
    }
    if (own.rows.has_value()) {
      add_direct_rows_work(problem, *own.rows, work, *window_of_rows(*group.graph, pool));
    } else if (own.mma.has_value()) {
      add_direct_mma_work(problem, *own.mma, work);
    } else {
      add_direct_work(problem, own.channels, work);
    }
    if (is_plane_reduction(pool)) {
      work.launches += 1;
      work.serial_bytes += static_cast<double>(part_bytes(problem, own));
      work.extra_bytes += static_cast<double>(part_bytes(problem, own));
    }
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override;

 private:
  static int64_t part_bytes(const ConvolutionProblem& problem, const PooledSetting& setting) {
    constexpr int64_t kFloatBytes = 4;
    return problem.batch * problem.out_channels * parts_of_plane(problem, setting) * kFloatBytes;
  }
};

// The divisor of a sum over a window, a plane or all channels; 1 where nothing is divided.
int64_t divisor_of(const ConvolutionProblem& problem, const ir::Node& pool) {
  if (is_any_window_pool(pool)) {
    return window_divisor(pool);
  }
  if (pool.op != Op::kMean) {
    return 1;
  }
  return is_channel_reduction(pool)
             ? problem.out_channels
             : std::accumulate(problem.out.begin(), problem.out.end(), int64_t{1}, std::multiplies<>());
}

const char* divisor_counts(const ir::Node& pool) {
  return is_any_window_pool(pool)     ? "elements of a window"
         : is_channel_reduction(pool) ? "channels"
                                      : "elements of a plane";
}

// As its headers and launches are called.
const char* direct_family(const PooledSetting& setting) {
  if (setting.rows.has_value()) {
    return "rows_";
  }
  return !setting.mma.has_value() ? "" : (setting.mma->by_groups ? "wgmma_" : "mma_");
}

void describe_work(StepBuilder& step, const PooledSetting& setting, bool by_plane) {
  if (setting.rows.has_value()) {
    describe_direct_rows(step, by_plane ? PooledWindow{.is_plane = true} : PooledWindow{.rows = 1, .columns = 1});
    return;
  }
  if (setting.mma.has_value()) {
    describe_direct_mma(step, *setting.mma);
    step.describe("{} adds up its pixels of each channel where they are; a second launch adds these parts.",
                  setting.mma->by_groups ? "A block" : "A warp");
    step.describe("Bound: three TF32 products for each of fp32.");
    return;
  }
  step.describe(
      "Access: a block takes a patch of the input and its channels' weights into shared memory; each thread sums up "
      "eight outputs, one below the other, of eight channels.");
  step.describe("{}", by_plane ? "A warp adds up what it has of a plane; a second launch adds these parts."
                               : "Windows of the pool lie within a warp, which joins them in registers.");
  step.describe("Bound: arithmetic on the ordinary pipes, in fp32.");
}

void launch_windows(StepBuilder& step, const ir::Node& pool, const PooledSetting& own,
                    const ConvolutionProblem& problem, const OwnOperands& operands, const Expr& divisor) {
  const std::vector<int64_t>& kernel = ir::ints_attribute(pool, "kernel_size");
  const std::vector<int64_t>& out = step.group().graph->type(pool.outputs[0]).shape;
  const Expr height = step.extent("pooled_height", out[2]);
  const Expr width = step.extent("pooled_width", out[3]);
  step.launch("// Windows of the pool: {} by {}.", kernel[0], kernel[1]);
  const std::string tile = own.rows.has_value() ? direct_rows_arguments(problem, *own.rows, {kernel[0], kernel[1]})
                                                : direct_tile(problem, own.channels) + ", Window";
  step.launch("return stitch::launch_conv_direct_{}pool<{}, stitch::{}, {}, {}>(", direct_family(own), tile,
              pool.op == Op::kMaxPool2d ? "LargestOfWindow" : "MeanOfWindow", kernel[0], kernel[1]);
  step.launch("    shape, {}, {}, element, store, {}, {}, {}, stream);", operands.input, operands.weight, height, width,
              divisor);
}

// The launch of a direct convolution.
void launch_directly(StepBuilder& step, const ir::Node& pool, const PooledSetting& own,
                     const ConvolutionProblem& problem, const OwnOperands& operands, const Expr& divisor) {
  if (!is_plane_reduction(pool)) {
    launch_windows(step, pool, own, problem, operands, divisor);
    return;
  }
  const std::string tile = own.rows.has_value()  ? direct_rows_arguments(problem, *own.rows, {.is_plane = true})
                           : own.mma.has_value() ? direct_mma_arguments(*own.mma)
                                                 : direct_tile(problem, own.channels) + ", Window";
  step.launch("return stitch::launch_conv_direct_{}mean<{}>(", direct_family(own), tile);
  step.launch("    shape, {}, {}, element, store, {}, args->scratch, stream);", operands.input, operands.weight,
              divisor);
}

Result<StepDraft> PooledConvolution::draft(const Group& group, const Setting& setting) const {
  const ir::Node& pool = *pool_of(group);
  const ConvolutionProblem problem = convolution_problem(group);
  const PooledSetting own = *pooled_setting(setting);
  const std::optional<PatchJoin> join = own.patch.has_value() ? patch_join(*group.graph, problem, pool) : std::nullopt;
  const bool by_plane = !own.patch.has_value() && is_plane_reduction(pool);
  StepBuilder step(group);
  step.include(join.has_value() ? patch_pool_header(*join)
                                : fmt::format("kernels/conv/direct_{}{}.cuh", direct_family(own),
                                              own.rows.has_value() && by_plane ? "mean" : "pool"));
  if (join.has_value()) {
    describe_patch(step, problem, joined_by(*join, *own.patch));
    describe_patch_pool(step, problem, *join, *own.patch);
  } else {
    describe_work(step, own, by_plane);
  }
  STITCH_ASSIGN(const LoweredFunctor element, make_joined_element(step, ir::tensor_operand(pool, 0)));
  construct(step, element, "element");
  STITCH_ASSIGN(const LoweredFunctor store, make_store(step, pool));
  construct(step, store, "store");
  add_problem(step, problem);
  const ConvolutionLayout layout = convolution_layout(group);
  const int64_t own_bytes = join.has_value() ? patch_pool_scratch_bytes(problem, *join, *own.patch)
                                             : (by_plane ? part_bytes(problem, own) : 0);
  const OwnOperands operands = add_turning(step, problem, layout, own_bytes);
  step.set_scratch_bytes(own_bytes + turning_bytes(problem, layout));
  const int64_t count = divisor_of(problem, pool);
  const Expr divisor =
      count == 1 ? literal_expr(int_literal(1)) : cast("float", step.extent("divisor", count, divisor_counts(pool)));
  if (join.has_value()) {
    launch_patch_pool(step, problem, pool, *join, *own.patch, operands, divisor);
  } else {
    launch_directly(step, pool, own, problem, operands, divisor);
  }
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_pooled_convolution() { return std::make_unique<PooledConvolution>(); }

}  // namespace stitch::kernels
