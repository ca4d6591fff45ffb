// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ir/graph/op.h"
#include "kernels/conv/rounding.h"
#include "kernels/conv/turning.h"
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

int64_t sums_bytes(const ConvolutionProblem& problem) { return kFloatBytes * problem.outputs(); }

// Multiplications and additions of the convolution, or of the one that a transposed convolution is the way back from.
double library_flops(const ConvolutionProblem& problem) {
  const int64_t places = problem.transposed ? input_elements(problem) : problem.outputs();
  const int64_t channels = (problem.transposed ? problem.out_channels : problem.in_channels) / problem.groups;
  return 2.0 * static_cast<double>(places) * static_cast<double>(channels * problem.window.taps());
}

// As many as tiles of its usual size. Where there is one pixel, as where a channel's mean is weighed, its product
// shares the depth among blocks: 1,728 channels to 432 took an H100 9 us.
int64_t library_blocks(const ConvolutionProblem& problem) {
  constexpr int64_t kTile = 64;
  constexpr int64_t kEnough = 132, kLeastDepth = 64;
  const int64_t channels = problem.out_channels / problem.groups;
  const int64_t pixels = problem.outputs() / problem.out_channels;
  const int64_t tiles = problem.groups * ((channels + kTile - 1) / kTile) * ((pixels + kTile - 1) / kTile);
  const bool is_thin = pixels <= kTile && problem.window.taps() == 1;
  return is_thin ? std::max(tiles, std::min(kEnough, tiles * problem.depth() / kLeastDepth)) : tiles;
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
    return group.graph->type(result).dtype == DataType::kFloat32 && follows(group, result) &&
           group.place_of(result) == nullptr;
  });
  return found == group.results.end() || writes_state(group) ? std::nullopt : std::optional(*found);
}

// Nothing follows the sums: they are the step's result, perhaps under another shape.
bool ends_with_sums(const Group& group) {
  const ir::Node& node = group.root_node();
  const bool has_bias = node.operands.size() > 2 && ir::is_tensor(node.operands[2]);
  if (has_bias || group.results.size() != 1 || writes_state(group)) {
    return false;
  }
  ir::ValueId result = group.results[0];
  while (result != node.outputs[0] && group.computes(result)) {
    const ir::Node& view = group.graph->node(group.graph->value(result).producer);
    if (view.op != ir::Op::kReshape) {
      return false;
    }
    result = ir::tensor_operand(view, 0);
  }
  return result == node.outputs[0];
}

// cuDNN multiplies in TF32 where it may, but for groups (bench/results/cudnn-rounding-h200.md).
Pipe library_pipe(const ConvolutionProblem& problem, const ConvolutionLibrary& library) {
  return library.rounds_to_tf32 && problem.groups == 1 ? Pipe::kTf32 : Pipe::kFp32;
}

// Shares of the device's peak and of its bandwidth.
struct Shares {
  double peak;
  double bandwidth;
};

bool is_strided(const ConvolutionProblem& problem) {
  const std::vector<int64_t>& stride = problem.window.stride;
  return std::any_of(stride.begin(), stride.end(), [](int64_t step) { return step > 1; });
}

bool is_dilated(const ConvolutionProblem& problem) {
  const std::vector<int64_t>& dilation = problem.window.dilation;
  return std::any_of(dilation.begin(), dilation.end(), [](int64_t step) { return step > 1; });
}

bool is_along_one_axis(const ConvolutionProblem& problem) {
  return problem.in[0] == 1 && problem.window.kernel[0] == 1;
}

constexpr int64_t kSmallWindow = 25;  // taps; five by seven and larger are slower

// What few channels leave of its rate: 158 TFLOP/s of nine taps to 128 channels, 104 to 64 and 61 to 32.
double filled_by_channels(const ConvolutionProblem& problem) {
  constexpr double kOfFullTile = 128;
  return std::sqrt(std::min(1.0, static_cast<double>(problem.out_channels) / kOfFullTile));
}

// Volumes on the way back come in tiles of 64 channels.
double share_of_back_tile(const ConvolutionProblem& problem) {
  constexpr double kBackTile = 64;
  return std::min(1.0, static_cast<double>(problem.out_channels) / kBackTile);
}

// As tensors lie: the whole call, in which it turns them itself.
Shares unturned_shares(const ConvolutionProblem& problem) {
  const bool is_spatial = problem.window.axes() > 2;
  const bool is_small = problem.window.taps() <= kSmallWindow;
  if (is_along_one_axis(problem)) {
    return {0.19, problem.transposed ? 0.22 : 0.3};
  }
  if (problem.transposed) {
    constexpr int64_t kFewTaps = 9;  // more of them repay what it turns before and behind
    return {!is_spatial && problem.window.taps() > kFewTaps ? 0.35 : 0.27,
            0.19 * (is_spatial ? std::sqrt(share_of_back_tile(problem)) : 1.0)};
  }
  return {is_spatial ? 0.27 : (is_small ? 0.32 : 0.4) * filled_by_channels(problem), 0.33};
}

// What cuDNN reached on an H200 in the calls of KernelBench's convolutions (bench/results/cudnn-layouts-h200.md): with
// channels last its kernel alone, as tensors lie the whole call, in which it turns them itself.
Shares tf32_shares(const ConvolutionProblem& problem, bool is_turned) {
  const bool is_spatial = problem.window.axes() > 2;
  const bool is_small = problem.window.taps() <= kSmallWindow;
  if (is_spatial && problem.transposed && (!is_strided(problem) || is_dilated(problem))) {
    // Without strides, or dilated, its kernels for three axes are slow in both layouts, the more the fewer channels.
    return {(is_turned ? 0.075 : 0.065) * share_of_back_tile(problem), 0.42};
  }
  constexpr int64_t kFewChannels = 8;
  if (!problem.transposed && problem.in_channels <= kFewChannels) {
    // Volumes of eight fill its tiles better than images of three. How a call of ours with channels last, which
    // converts them once more, compares is for the tuner to say.
    const bool fills = is_spatial && problem.in_channels == kFewChannels;
    return fills ? Shares{is_turned ? 0.075 : 0.08, 0.42} : Shares{is_turned ? 0.03 : 0.055, 0.42};
  }
  if (!problem.transposed && problem.window.taps() == 1) {
    // Neither turns anything: 176 TFLOP/s of an H100 to 480 channels, 2.6 TB/s to 128.
    return is_turned ? Shares{0.58, 0.7} : Shares{0.36 * filled_by_channels(problem), 0.72};
  }
  if (is_turned) {
    // An H100 read and wrote 2.0 TB/s with 64 channels on the way back, 1.0 with 32 and 0.5 with 16.
    const double bandwidth = 0.42 * (is_spatial && problem.transposed ? share_of_back_tile(problem) : 1.0);
    return {is_spatial ? 0.47 : (problem.transposed || is_small ? 0.65 : 0.36), bandwidth};
  }
  return unturned_shares(problem);
}

// Groups of several channels are multiplied one group after the other, and for some of them each group is turned there
// and back by a kernel far slower than a copy (level3/26 and 29 on an H100: 8.8 TFLOP/s where none was turned, 5.2 of
// 6.2 ms of the convolutions' time where all were).
bool goes_by_groups(const ConvolutionProblem& problem) {
  return !problem.transposed && problem.groups > 1 && !problem.is_depthwise();
}

// Few channels fill its tiles badly. Groups transposed are left to a kernel that PyTorch passes over.
Shares fp32_shares(const ConvolutionProblem& problem) {
  if (goes_by_groups(problem)) {
    return {0.13, 0.15};
  }
  constexpr int64_t kFewChannels = 4;
  constexpr double kOfDepthwise = 0.2;
  const bool is_spatial = problem.window.axes() > 2;
  const bool is_few = problem.in_channels <= kFewChannels;
  const double bandwidth = problem.is_depthwise() && problem.groups > 1 ? kOfDepthwise : 1.0;
  if (!problem.transposed) {
    constexpr int64_t kManyResults = 64;
    constexpr int64_t kShallow = 64, kDeep = 256;  // 0.31 at a depth of 81, 0.2 at 27 and at 315
    const bool is_shallow_or_deep = problem.depth() < kShallow || problem.depth() > kDeep;
    const double of_volume = problem.out_channels < kManyResults ? 0.15 : (is_shallow_or_deep ? 0.2 : 0.33);
    const double of_few = is_spatial ? of_volume : 0.33;
    constexpr int64_t kNarrowWindow = 9;
    const bool is_wide = problem.window.taps() > kNarrowWindow;
    if (is_spatial && !is_few) {
      // 0.61 with 64 channels of results, 0.41 with 32, 0.22 with 16.
      constexpr double kOfFullTile = 0.61, kFallOff = 0.7;
      const double filled = std::min(1.0, static_cast<double>(problem.out_channels) / kManyResults);
      return {kOfFullTile * std::pow(filled, kFallOff), bandwidth};
    }
    return {is_few ? of_few : (is_wide ? 0.3 : 0.45), bandwidth};
  }
  if (problem.groups > 1) {
    return {is_spatial ? 0.009 : 0.007, bandwidth};
  }
  return {is_spatial ? (is_few ? 0.005 : 0.08) : 0.15, bandwidth};
}

Shares shares_of(const ConvolutionProblem& problem, Pipe pipe, bool is_turned) {
  return pipe == Pipe::kTf32 ? tf32_shares(problem, is_turned) : fp32_shares(problem);
}

// The algorithm that cuDNN advises second. With channels last and going forward it has no tensor cores: 10 TFLOP/s on
// an H100 in images of any size (14 with 16 channels). Elsewhere the kernel took about four times as long as the first.
void add_next_advice(const ConvolutionProblem& problem, const ConvolutionLibrary& library, Work& work) {
  constexpr double kOfOrdinaryPipes = 0.17;
  const double of_first = work.pipe == Pipe::kTf32 ? 0.25 : 0.65;
  if (library.is_turned && !problem.transposed && work.pipe == Pipe::kTf32) {
    work.pipe = Pipe::kFp32;
    work.peak_share = kOfOrdinaryPipes;
    return;
  }
  work.peak_share *= of_first;
  work.bandwidth_share *= of_first;
}

// Of the bandwidth that turning reaches.
constexpr double kTurningShare = 0.8;

constexpr int kBlocksInFlight = 3;  // enough threads for memory

// Of the operands, what does not lie with channels last yet.
int64_t turned_operand_bytes(const ConvolutionProblem& problem, const ConvolutionLayout& layout) {
  return kFloatBytes *
         ((layout.input_last ? 0 : input_elements(problem)) + (layout.weight_last ? 0 : weight_elements(problem)));
}

// What is read and written before and behind cuDNN's own kernel.
double converted_bytes(const ConvolutionProblem& problem, const ConvolutionLayout& layout) {
  const auto operands = static_cast<double>(turned_operand_bytes(problem, layout));
  const auto sums = layout.sums_last ? 0.0 : static_cast<double>(sums_bytes(problem));
  return (2 * operands + 2 * sums) / kTurningShare;
}

int64_t library_scratch_bytes(const ConvolutionProblem& problem, const ConvolutionLayout& layout, bool is_turned,
                              bool has_room_in_result) {
  const int64_t fixed = kWorkspaceBytes + kPieces * kAlignment;
  // As tensors lie cuDNN converts them itself, in its workspace. With channels last it does so too for kernels that
  // take operands rounded already, which are all that it has for volumes of eight channels: without room it takes none,
  // and our own kernel ran (level2/7: 4456 us on an H100).
  const int64_t operands = kFloatBytes * (input_elements(problem) + weight_elements(problem));
  if (is_turned) {
    return fixed + operands + turned_operand_bytes(problem, layout) + (layout.sums_last ? 0 : sums_bytes(problem));
  }
  return fixed + operands + sums_bytes(problem) + (has_room_in_result ? 0 : sums_bytes(problem));
}

// How cuDNN's operands and sums come to lie with channels last.
std::string layout_type(const ConvolutionProblem& problem, const ConvolutionLayout& layout) {
  const std::string kept = "stitch::Kept";
  return fmt::format("stitch::ChannelsLast<{}, {}, {}>", layout.input_last ? kept : input_tile(problem),
                     layout.weight_last ? kept : weight_tile(problem), layout.sums_last ? kept : sums_tile(problem));
}

}  // namespace

bool is_cudnn_setting(const Setting& setting) { return is_named(kSettings, setting.variant); }

bool takes_channels_last(const Setting& setting) {
  return is_cudnn_setting(setting) && meaning_of(kSettings, setting).is_turned;
}

bool has_finish(const Group& group, const Setting& setting) {
  return takes_channels_last(setting) ? !convolution_layout(group).sums_last : !ends_with_sums(group);
}

std::vector<Setting> convolution_library_space(const ConvolutionProblem& problem, const ConvolutionLayout& layout,
                                               MathMode math) {
  const bool rounds = operand_rounding(problem, math) != OperandRounding::kNone;
  const bool is_first = layout.input_first && layout.weight_first && !layout.sums_last;
  return settings_where(kSettings, [&](const ConvolutionLibrary& each) {
    return each.rounds_to_tf32 == rounds && (is_first || each.is_turned);
  });
}

std::string own_setting_for(const Setting& setting) {
  return meaning_of(kSettings, setting).rounds_to_tf32 ? "tf32_64x64" : "tf32x3_64x64";
}

Work convolution_library_work(const Group& group, const ConvolutionProblem& problem, const Setting& setting) {
  const ConvolutionLibrary library = meaning_of(kSettings, setting);
  const ConvolutionLayout layout = convolution_layout(group);
  const auto sums = static_cast<double>(sums_bytes(problem));
  Work work;
  work.bytes = min_bytes(group);
  work.lane_operations = pointwise_operations(group);
  work.flops = library_flops(problem);
  work.pipe = library_pipe(problem, library);
  const Shares shares = shares_of(problem, work.pipe, library.is_turned);
  work.peak_share = shares.peak;
  work.bandwidth_share = shares.bandwidth;
  if (library.advice > 1) {
    add_next_advice(problem, library, work);
  }
  work.blocks = library_blocks(problem);
  work.blocks_per_multiprocessor = kBlocksInFlight;
  if (library.is_turned) {
    work.launches = 1 + (layout.input_last && layout.weight_last ? 0 : 1) + (layout.sums_last ? 0 : 1);
    work.serial_bytes = converted_bytes(problem, layout);
  } else if (!ends_with_sums(group)) {
    work.launches = 2;
    work.serial_bytes = 2 * sums;
  }
  return work;
}

int64_t convolution_library_scratch_bytes(const Group& group, const ConvolutionProblem& problem,
                                          const Setting& setting) {
  const bool is_turned = takes_channels_last(setting);
  const bool has_room = ends_with_sums(group) || result_for_sums(group).has_value();
  return library_scratch_bytes(problem, convolution_layout(group), is_turned, has_room);
}

void add_library_call(StepBuilder& step, const ConvolutionProblem& problem, const Setting& setting,
                      const LibraryFinish& epilogue) {
  const Group& group = step.group();
  const ConvolutionLibrary library = meaning_of(kSettings, setting);
  const ConvolutionLayout layout = convolution_layout(group);
  const bool is_whole = !has_finish(group, setting);
  const std::optional<ir::ValueId> result =
      is_whole ? std::optional(group.results[0]) : (library.is_turned ? std::nullopt : result_for_sums(group));
  step.include("kernels/conv/library.cuh");
  step.launch("// cuDNN where it is installed; elsewhere it answers cudaErrorNotSupported and our own kernel runs.");
  step.launch("const stitch::ConvLibraryCall library{");
  step.launch("    .args = args,");
  step.launch("    .may_use_tf32 = {},", library.rounds_to_tf32);
  step.launch("    .advice = {},", step.extent("advice", library.advice, "which of cuDNN's algorithms, best first"));
  if (result.has_value()) {
    step.launch("    .sums = static_cast<float*>({}),", step.tensor(*result));
  }
  if (!is_whole) {
    step.launch("    .vectorised = {},", epilogue.vectorised);
  }
  step.launch("};");
  if (library.is_turned) {
    step.launch("// How cuDNN's operands and sums are turned: input, weight and sums, pixels by channels.");
    step.launch("using Layout = {};", layout_type(problem, layout));
  }
  step.launch("const cudaError_t by_library = stitch::launch_conv_library<{},",
              library.is_turned ? "Layout" : "stitch::ChannelsFirst");
  step.launch("    stitch::LibraryEnd::{}, Window>(library, shape, input, weight, {}, stream);",
              is_whole ? "kSums" : "kEpilogue", epilogue.functor);
  step.launch("if (by_library != cudaErrorNotSupported) {");
  step.launch("  return by_library;");
  step.launch("}");
}

}  // namespace stitch::kernels
