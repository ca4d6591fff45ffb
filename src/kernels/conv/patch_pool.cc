// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/patch_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "ir/graph/op.h"
#include "kernels/group/joined_pool.h"

namespace stitch::kernels {
namespace {

using ir::Op;

// As the skeleton has them: places of a tile that a thread has beside each other, and lanes that have a tile's.
constexpr int64_t kPlacesOfThread = 2;
constexpr int64_t kLanesOfTile = 4;

// Outputs of one place along an axis: as many as the stride of a transposed convolution, or else as a window needs.
// nullopt where a window does not divide the phases.
std::optional<int64_t> stack_of(const ConvolutionProblem& problem, size_t axis, int64_t window) {
  const int64_t stride = problem.window.stride[axis];
  if (!problem.transposed || stride == 1) {
    return window;
  }
  return stride % window == 0 ? std::optional(int64_t{1}) : std::nullopt;
}

// Along a row a thread has both phases of two places, and neighbouring lanes have the next.
bool lies_in_tile(const ConvolutionProblem& problem, int64_t window) {
  const int64_t of_thread = kPlacesOfThread * (problem.transposed ? problem.window.stride.back() : 1);
  if (window <= of_thread) {
    return of_thread % window == 0;
  }
  return window % of_thread == 0 && kLanesOfTile % (window / of_thread) == 0;
}

std::optional<PatchJoin> window_join(const ir::Graph& graph, const ConvolutionProblem& problem, const ir::Node& pool) {
  const std::vector<int64_t>& kernel = ir::ints_attribute(pool, "kernel_size");
  const size_t axes = problem.window.axes();
  if (kernel.size() != axes || !has_whole_windows(graph, pool) || !lies_in_tile(problem, kernel.back())) {
    return std::nullopt;
  }
  PatchJoin join;
  std::copy(kernel.begin(), kernel.end(), join.window.end() - static_cast<ptrdiff_t>(axes));
  const std::optional<int64_t> stack_y = stack_of(problem, axes - 2, join.window[1]);
  const std::optional<int64_t> stack_z = axes > 2 ? stack_of(problem, 0, join.window[0]) : std::optional(int64_t{1});
  if (!stack_y.has_value() || !stack_z.has_value()) {
    return std::nullopt;
  }
  join.stack_z = *stack_z;
  join.stack_y = *stack_y;
  return join;
}

// Of reductions of more channels than a block has.
int64_t part_bytes(const ConvolutionProblem& problem, const PatchJoin& join, const PatchSetting& setting) {
  constexpr int64_t kFloatBytes = 4;
  const int64_t blocks = join.over_channels ? blocks_of_channels(problem, setting) : 1;
  return blocks == 1 ? 0 : kFloatBytes * blocks * (problem.outputs() / problem.out_channels);
}

int64_t parts_at(const ConvolutionProblem& problem, const PatchJoin& join, const PatchSetting& setting) {
  constexpr int64_t kAlignment = 16;
  return (patch_scratch_bytes(problem, joined_by(join, setting)) + kAlignment - 1) / kAlignment * kAlignment;
}

const char* join_of_channels(Op op) {
  switch (op) {
    case Op::kAmax:
      return "LargestOfChannels";
    case Op::kAmin:
      return "SmallestOfChannels";
    case Op::kLogsumexp:
      return "LogSumExpOfChannels";
    default:
      return "MeanOfChannels";
  }
}

// `parts_at`: of the scratch memory, 0 where one block of channels has all of them.
void launch_channels(StepBuilder& step, const std::string& arguments, Op op, int64_t parts_at,
                     const OwnOperands& operands, const Expr& divisor) {
  if (parts_at == 0) {
    step.launch("return stitch::launch_conv_patch_channels<{}, stitch::{}>(", arguments, join_of_channels(op));
    step.launch("    shape, {}, {}, element, store, {}, args->scratch, stream);", operands.input, operands.weight,
                divisor);
    return;
  }
  step.launch("auto* const parts = reinterpret_cast<float*>(static_cast<char*>(args->scratch) + {});",
              step.extent("parts_at", parts_at));
  step.launch("return stitch::launch_conv_patch_channel_parts<{}, stitch::{}>(", arguments, join_of_channels(op));
  step.launch("    shape, {}, {}, element, store, {}, args->scratch, parts, stream);", operands.input, operands.weight,
              divisor);
}

}  // namespace

bool is_any_window_pool(const ir::Node& node) {
  return is_max_pool(node) || node.op == Op::kAvgPool2d || node.op == Op::kAvgPool3d;
}

bool is_channel_reduction(const ir::Node& node) {
  const bool is_joined = node.op == Op::kAmax || node.op == Op::kAmin || node.op == Op::kLogsumexp ||
                         node.op == Op::kSum || node.op == Op::kMean;
  return is_joined && ir::ints_attribute(node, "dim") == std::vector<int64_t>{1};
}

std::optional<PatchJoin> patch_join(const ir::Graph& graph, const ConvolutionProblem& problem, const ir::Node& pool) {
  // The pixels' axes are the window's: no row that is a plane of height one.
  if (graph.type(ir::tensor_operand(pool, 0)).shape.size() != problem.window.axes() + 2) {
    return std::nullopt;
  }
  if (is_channel_reduction(pool)) {
    const bool by_exponentials = pool.op == Op::kLogsumexp;
    return problem.groups == 1 ? std::optional(PatchJoin{.over_channels = true, .by_exponentials = by_exponentials})
                               : std::nullopt;
  }
  return is_any_window_pool(pool) ? window_join(graph, problem, pool) : std::nullopt;
}

bool allows_patch_pool(const ConvolutionProblem& problem, const PatchJoin& join, const PatchSetting& setting) {
  return allows_patch(problem, joined_by(join, setting));
}

int64_t patch_pool_scratch_bytes(const ConvolutionProblem& problem, const PatchJoin& join,
                                 const PatchSetting& setting) {
  return parts_at(problem, join, setting) + part_bytes(problem, join, setting);
}

// Each output is finished in registers, and what is left of it goes through shared memory and out: 0.4 ps for each on
// an H200, as bytes that memory would read meanwhile.
void add_patch_pool_work(const ConvolutionProblem& problem, const PatchJoin& join, const PatchSetting& setting,
                         Work& work) {
  constexpr double kBytesOfOutput = 1.9, kBytesOfExponential = 2, kBytesOfStored = 6.5;
  add_patch_work(problem, joined_by(join, setting), work);
  const auto outputs = static_cast<double>(problem.outputs());
  const int64_t joined = join.over_channels
                             ? problem.out_channels
                             : std::accumulate(join.window.begin(), join.window.end(), int64_t{1}, std::multiplies<>());
  const double of_output = kBytesOfOutput + (join.by_exponentials ? kBytesOfExponential : 0);
  work.serial_bytes += of_output * outputs + kBytesOfStored * outputs / static_cast<double>(joined);
  if (const auto parts = static_cast<double>(part_bytes(problem, join, setting)); parts > 0) {
    work.launches += 1;
    work.extra_bytes += parts;
    work.serial_bytes += parts;
  }
}

void describe_patch_pool(StepBuilder& step, const ConvolutionProblem& problem, const PatchJoin& join,
                         const PatchSetting& setting) {
  if (join.over_channels) {
    step.describe("A warp joins all channels that it has of its outputs in registers, and stores what is left.");
    if (part_bytes(problem, join, setting) > 0) {
      step.describe("Each block of channels leaves a part; a second launch joins these.");
    }
  } else if (join.stack_z * join.stack_y > 1) {
    step.describe("Rows of outputs that a window joins are one place, so that a warp has whole windows.");
  } else {
    step.describe("Windows of the pool are phases of neighbouring places, which a warp joins in registers.");
  }
}

std::string patch_pool_header(const PatchJoin& join) {
  return join.over_channels ? "kernels/conv/patch_channels.cuh" : "kernels/conv/patch_pool.cuh";
}

void launch_patch_pool(StepBuilder& step, const ConvolutionProblem& problem, const ir::Node& pool,
                       const PatchJoin& join, const PatchSetting& setting, const OwnOperands& operands,
                       const Expr& divisor) {
  const PatchSetting joined = joined_by(join, setting);
  const std::string window = patch_window(problem, joined);
  step.launch("using Tile = {};", patch_tile(problem, joined));
  if (window != "Window") {
    step.launch("using Places = {};", window);
  }
  const std::string arguments =
      fmt::format("{}, Tile, {}", patch_policy(joined), window == "Window" ? "Window" : "Places");
  if (join.over_channels) {
    launch_channels(step, arguments, pool.op,
                    part_bytes(problem, join, setting) > 0 ? parts_at(problem, join, setting) : 0, operands, divisor);
    return;
  }
  const std::vector<int64_t>& out = step.group().graph->type(pool.outputs[0]).shape;
  const size_t y = out.size() - 2;
  const Expr height = step.extent("pooled_height", out[y]);
  const Expr width = step.extent("pooled_width", out[y + 1]);
  step.launch("// Windows of the pool: {} by {} by {}.", join.window[0], join.window[1], join.window[2]);
  if (problem.window.axes() > 2) {
    step.launch("const stitch::PooledExtents pooled{{{}, {}, {}}};", step.extent("pooled_depth", out[2]), height,
                width);
  } else {
    step.launch("const stitch::PooledExtents pooled{{1, {}, {}}};", height, width);
  }
  step.launch("return stitch::launch_conv_patch_pool<{}, stitch::{}, {}, {}, {}>(", arguments,
              is_max_pool(pool) ? "LargestOfWindow" : "MeanOfWindow", join.window[0], join.window[1], join.window[2]);
  step.launch("    shape, {}, {}, element, store, pooled, {}, args->scratch, stream);", operands.input, operands.weight,
              divisor);
}

}  // namespace stitch::kernels
