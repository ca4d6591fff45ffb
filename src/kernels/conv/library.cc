// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/library.h"

#include <algorithm>
#include <array>

#include "ir/graph/op.h"
#include "kernels/conv/rounding.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

struct ConvolutionLibrary {
  bool rounds_to_tf32;
  bool is_turned;  // to channels last and back
  int64_t advice;  // 1: the algorithm that cuDNN's heuristics advise, 2: the next best
};

constexpr std::array kSettings = {
    NamedSetting<ConvolutionLibrary>{"cudnn_tf32", {true, true, 1}},
    NamedSetting<ConvolutionLibrary>{"cudnn_tf32_nchw", {true, false, 1}},
    NamedSetting<ConvolutionLibrary>{"cudnn_tf32_2", {true, true, 2}},
    NamedSetting<ConvolutionLibrary>{"cudnn_tf32_nchw_2", {true, false, 2}},
    NamedSetting<ConvolutionLibrary>{"cudnn_fp32", {false, false, 1}},
    NamedSetting<ConvolutionLibrary>{"cudnn_fp32_2", {false, false, 2}},
};

constexpr int64_t kWorkspaceBytes = int64_t{64} << 20;
constexpr int64_t kPieces = 3;  // of scratch memory, each aligned
constexpr int64_t kAlignment = 256;
constexpr int64_t kFloatBytes = 4;

int64_t input_elements(const ConvolutionProblem& problem) {
  int64_t elements = problem.batch * problem.in_channels;
  for (const int64_t extent : problem.in) {
    elements *= extent;
  }
  return elements;
}

int64_t operand_bytes(const ConvolutionProblem& problem) {
  const int64_t weights = problem.out_channels * problem.in_channels / problem.groups * problem.window.taps();
  return kFloatBytes * (input_elements(problem) + weights);
}

int64_t sums_bytes(const ConvolutionProblem& problem) { return kFloatBytes * problem.outputs(); }

// Multiplications and additions of the convolution, or of the one that a transposed convolution is the way back from.
double library_flops(const ConvolutionProblem& problem) {
  const int64_t places = problem.transposed ? input_elements(problem) : problem.outputs();
  const int64_t channels = (problem.transposed ? problem.out_channels : problem.in_channels) / problem.groups;
  return 2.0 * static_cast<double>(places) * static_cast<double>(channels * problem.window.taps());
}

// As many as tiles of its usual size; none of its kernels for them shares the depth of one tile.
int64_t library_blocks(const ConvolutionProblem& problem) {
  constexpr int64_t kTile = 64;
  const int64_t channels = problem.out_channels / problem.groups;
  const int64_t pixels = problem.outputs() / problem.out_channels;
  return problem.groups * ((channels + kTile - 1) / kTile) * ((pixels + kTile - 1) / kTile);
}

bool writes_state(const Group& group) {
  const std::vector<ir::GraphOutput>& outputs = group.graph->outputs;
  return std::any_of(outputs.begin(), outputs.end(), [&](const ir::GraphOutput& output) {
    return output.role == TensorRole::kState &&
           std::find(group.results.begin(), group.results.end(), output.value) != group.results.end();
  });
}

// Whether an element of `value` follows from the convolution's result at the same place.
bool follows(const Group& group, ir::ValueId value) {
  const ir::ValueId sums = group.root_node().outputs[0];
  if (value == sums) {
    return true;
  }
  if (!group.computes(value) || group.graph->type(value).shape != group.graph->type(sums).shape) {
    return false;
  }
  const ir::Node& node = group.graph->node(group.graph->value(value).producer);
  return is_elementwise(node) && !is_look_up(node) &&
         std::any_of(node.operands.begin(), node.operands.end(), [&](const ir::Operand& operand) {
           return ir::is_tensor(operand) && follows(group, std::get<ir::ValueId>(operand));
         });
}

// The result whose memory may hold the sums until the epilogue stores there. A new state may lie where the old one is
// still to be read.
std::optional<ir::ValueId> result_for_sums(const Group& group) {
  const auto found = std::find_if(group.results.begin(), group.results.end(), [&](ir::ValueId result) {
    return group.graph->type(result).dtype == DataType::kFloat32 && follows(group, result);
  });
  return found == group.results.end() || writes_state(group) ? std::nullopt : std::optional(*found);
}

// Nothing follows the sums: they are the step's result.
bool ends_with_sums(const Group& group) {
  const ir::Node& node = group.root_node();
  const bool has_bias = node.operands.size() > 2 && ir::is_tensor(node.operands[2]);
  return !has_bias && group.results.size() == 1 && group.results[0] == node.outputs[0] && !writes_state(group);
}

// cuDNN multiplies in TF32 where it may, but for groups (bench/results/cudnn-rounding-h200.md).
Pipe library_pipe(const ConvolutionProblem& problem, const ConvolutionLibrary& library) {
  return library.rounds_to_tf32 && problem.groups == 1 ? Pipe::kTf32 : Pipe::kFp32;
}

// Shares of the peak as cuDNN reached them on an H200. Two axes: bench/results/libraries-h200.md. Else in tasks of
// KernelBench (bench/results/kernelbench-h200.md): along one axis or two transposed what was left of the time when
// conversions of layout were taken off, along three whole calls (TF32: 105 to 115 TFLOP/s forward, 6 to 80 transposed;
// fp32: few channels, fewer than five the worst). Groups transposed 2.4 to 33, but along three axes 0.6, without the
// kernel that PyTorch takes.
double peak_share(const ConvolutionProblem& problem, Pipe pipe, bool is_turned) {
  constexpr int64_t kFewChannels = 4, kTile = 64;
  const bool is_spatial = problem.window.axes() > 2;
  if (pipe == Pipe::kTf32) {
    if (!is_spatial || !problem.transposed) {
      return is_spatial ? 0.22 : 0.35;
    }
    const int64_t computed = (problem.out_channels + kTile - 1) / kTile * kTile;
    return (is_turned ? 0.075 : 0.053) * static_cast<double>(problem.out_channels) / static_cast<double>(computed);
  }
  if (problem.transposed) {
    return problem.groups > 1 ? (is_spatial ? 0.009 : 0.1) : (is_spatial ? 0.08 : 0.25);
  }
  return !is_spatial ? 0.4 : (problem.in_channels > kFewChannels ? 0.35 : 0.1);
}

// Of that of memory, which bounds depthwise convolutions: there 0.17 to 0.2.
double bandwidth_share(const ConvolutionProblem& problem) {
  return problem.is_depthwise() && problem.groups > 1 ? 0.2 : 1.0;
}

// For some windows (5 by 7) cuDNN's only kernel for channels last is twenty times slower than that for tensors as they
// lie, which PyTorch calls. Forward the two are nearly equal otherwise: what nobody measured is called as PyTorch does.
constexpr double kRiskShare = 0.75;
bool is_at_risk(const ConvolutionProblem& problem, const ConvolutionLibrary& library) {
  return library.is_turned && !problem.transposed;
}

// What conversion of layout reads and writes before and behind the sums, ours or, as tensors lie, cuDNN's own: forward
// it hides most of it, transposed it takes half as long again as ours. Along three axes whole calls were measured.
double converted_bytes(const ConvolutionProblem& problem, const ConvolutionLibrary& library) {
  const auto operands = static_cast<double>(operand_bytes(problem));
  const auto sums = static_cast<double>(sums_bytes(problem));
  if (library.is_turned) {
    return 2 * operands + sums;
  }
  const double of_library = problem.transposed ? 1.5 : 0.4;
  return library.rounds_to_tf32 && problem.window.axes() == 2 ? of_library * 2 * (operands + sums) : 0;
}

int64_t library_scratch_bytes(const ConvolutionProblem& problem, const ConvolutionLibrary& library,
                              bool has_room_in_result) {
  const int64_t converted = operand_bytes(problem) + sums_bytes(problem);
  // As tensors lie cuDNN converts them itself, in its workspace.
  const int64_t own = library.is_turned ? converted : (has_room_in_result ? 0 : sums_bytes(problem));
  return kWorkspaceBytes + kPieces * kAlignment + own + (library.is_turned ? 0 : converted);
}

}  // namespace

bool is_cudnn_setting(const Setting& setting) { return is_named(kSettings, setting.variant); }

std::vector<Setting> convolution_library_space(const ConvolutionProblem& problem, MathMode math) {
  const bool rounds = operand_rounding(problem, math) != OperandRounding::kNone;
  return settings_where(kSettings, [&](const ConvolutionLibrary& each) { return each.rounds_to_tf32 == rounds; });
}

std::string own_setting_for(const Setting& setting) {
  return meaning_of(kSettings, setting).rounds_to_tf32 ? "tf32_64x64" : "tf32x3_64x64";
}

Work convolution_library_work(const Group& group, const ConvolutionProblem& problem, const Setting& setting) {
  const ConvolutionLibrary library = meaning_of(kSettings, setting);
  const auto sums = static_cast<double>(sums_bytes(problem));
  Work work;
  work.bytes = min_bytes(group);
  work.lane_operations = pointwise_operations(group);
  work.flops = library_flops(problem);
  work.pipe = library_pipe(problem, library);
  work.peak_share = peak_share(problem, work.pipe, library.is_turned) * (is_at_risk(problem, library) ? kRiskShare : 1);
  work.bandwidth_share = bandwidth_share(problem);
  work.blocks = library_blocks(problem);
  const bool has_epilogue = library.is_turned || !ends_with_sums(group);
  const bool has_conversions = library.is_turned || converted_bytes(problem, library) > 0;
  work.launches = 1 + (has_conversions ? 3 : 0) + (has_epilogue && !library.is_turned ? 1 : 0);
  work.extra_bytes = (has_epilogue ? sums : 0) + (library.is_turned ? static_cast<double>(operand_bytes(problem)) : 0);
  work.serial_bytes = converted_bytes(problem, library) + (has_epilogue && !library.is_turned ? sums : 0);
  return work;
}

void add_library_call(StepBuilder& step, const ConvolutionProblem& problem, const Setting& setting) {
  const Group& group = step.group();
  const ConvolutionLibrary library = meaning_of(kSettings, setting);
  const std::optional<ir::ValueId> result = library.is_turned ? std::nullopt : result_for_sums(group);
  step.include("kernels/conv/library.cuh");
  step.launch("// cuDNN where it is installed; elsewhere it answers cudaErrorNotSupported and our own kernel runs.");
  step.launch("const stitch::ConvLibraryCall library{");
  step.launch("    .args = args,");
  step.launch("    .may_use_tf32 = {},", library.rounds_to_tf32);
  step.launch("    .advice = {},", step.extent("advice", library.advice, "which of cuDNN's algorithms, best first"));
  if (result.has_value()) {
    step.launch("    .sums = static_cast<float*>({}),", step.tensor(*result));
  }
  step.launch("};");
  const bool is_whole = !library.is_turned && ends_with_sums(group);
  step.launch("const cudaError_t by_library = stitch::launch_conv_library<stitch::LibraryLayout::{},",
              library.is_turned ? "kChannelsLast" : "kChannelsFirst");
  step.launch("    stitch::LibraryEnd::{}, Window>(library, shape, input, weight, epilogue, stream);",
              is_whole ? "kSums" : "kEpilogue");
  step.launch("if (by_library != cudaErrorNotSupported) {");
  step.launch("  return by_library;");
  step.launch("}");
  step.set_scratch_bytes(library_scratch_bytes(problem, library, result.has_value()));
}

}  // namespace stitch::kernels
