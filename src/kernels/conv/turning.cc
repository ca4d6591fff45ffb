// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/turning.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace stitch::kernels {
namespace {

constexpr int64_t kElementBytes = 4;  // float
constexpr int64_t kPieceAlignment = 256;

int64_t pixels_of(const std::vector<int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>());
}

// Channels side by side that a tile has where there are many: two cache lines where they are written, one where they
// are read (bench/results/cudnn-layouts-h200.md).
constexpr uint64_t kWrittenChannels = 64;
constexpr uint64_t kReadChannels = 32;

// 4,096 elements, 16 of each thread, unless there are few pixels.
std::string turn_tile(int64_t channels, int64_t pixels, uint64_t many_channels) {
  constexpr uint64_t kElements = 4096, kMinElements = 1024;
  constexpr uint64_t kMinChannels = 4, kMaxChannels = 256, kMinPixels = 16, kMaxPixels = 1024;
  uint64_t wide = std::clamp(std::bit_ceil(static_cast<uint64_t>(channels)), kMinChannels, kMaxChannels);
  uint64_t high = std::clamp(std::bit_ceil(static_cast<uint64_t>(pixels)), kMinPixels, kMaxPixels);
  while (wide * high > kElements) {
    (wide > many_channels ? wide : high) /= 2;
  }
  while (wide * high < kMinElements) {
    high *= 2;
  }
  return fmt::format("stitch::TurnTile<{}, {}>", high, wide);
}

// One operand from channels last to first. `count`, `channels` and `pixels`: the text of its images' numbers.
struct TurnedImages {
  std::string name;
  std::string tile;
  std::string count;
  std::string channels;
  std::string pixels;
};

void add_turned(StepBuilder& step, const TurnedImages& images) {
  const std::string& name = images.name;
  step.launch("float* const {}_first = pieces.take({} * {} * {});", name, images.count, images.channels, images.pixels);
  step.launch("const cudaError_t {}_turned = stitch::launch_to_channels_first<{}>(", name, images.tile);
  step.launch("    {{{}, {}_first, {}, {}, {}}}, stream);", name, name, images.count, images.channels, images.pixels);
  step.launch("if ({}_turned != cudaSuccess) {{", name);
  step.launch("  return {}_turned;", name);
  step.launch("}");
}

}  // namespace

std::string input_tile(const ConvolutionProblem& problem) {
  return turn_tile(problem.in_channels, pixels_of(problem.in), kWrittenChannels);
}

// A transposed convolution has the weights of the one that it is the way back from.
std::string weight_tile(const ConvolutionProblem& problem) {
  const int64_t channels = problem.transposed ? problem.out_channels : problem.in_channels;
  return turn_tile(channels / problem.groups, problem.window.taps(), kWrittenChannels);
}

std::string sums_tile(const ConvolutionProblem& problem) {
  return turn_tile(problem.out_channels, pixels_of(problem.out), kReadChannels);
}

int64_t input_elements(const ConvolutionProblem& problem) {
  return problem.batch * problem.in_channels * pixels_of(problem.in);
}

int64_t weight_elements(const ConvolutionProblem& problem) {
  return problem.out_channels * problem.in_channels / problem.groups * problem.window.taps();
}

void add_turning_work(const ConvolutionProblem& problem, const ConvolutionLayout& layout, Work& work) {
  const auto add = [&](int64_t elements) {
    work.launches += 1;
    work.serial_bytes += 2.0 * kElementBytes * static_cast<double>(elements);
  };
  if (!layout.input_first) {
    add(input_elements(problem));
  }
  if (!layout.weight_first) {
    add(weight_elements(problem));
  }
}

int64_t turning_bytes(const ConvolutionProblem& problem, const ConvolutionLayout& layout) {
  constexpr int64_t kPieces = 3;  // with the start, each aligned
  const int64_t elements =
      (layout.input_first ? 0 : input_elements(problem)) + (layout.weight_first ? 0 : weight_elements(problem));
  return elements == 0 ? 0 : kPieces * kPieceAlignment + kElementBytes * elements;
}

OwnOperands add_turning(StepBuilder& step, const ConvolutionProblem& problem, const ConvolutionLayout& layout,
                        int64_t taken_bytes) {
  OwnOperands names;
  if (layout.input_first && layout.weight_first) {
    return names;
  }
  step.include("kernels/conv/turned.cuh");
  step.launch("// Our own kernel reads channels first.");
  if (taken_bytes > 0) {
    step.launch("stitch::ScratchPieces pieces(args, {});",
                step.extent("partial_bytes", taken_bytes, "of the scratch memory, that the kernel itself takes"));
  } else {
    step.launch("stitch::ScratchPieces pieces(args);");
  }
  if (!layout.input_first) {
    add_turned(step, {"input", input_tile(problem), "shape.batch", "shape.in_channels",
                      "shape.depth * shape.height * shape.width"});
    names.input = "input_first";
  }
  if (!layout.weight_first) {
    const bool transposed = problem.transposed;
    add_turned(step,
               {"weight", weight_tile(problem), transposed ? "shape.in_channels" : "shape.out_channels",
                transposed ? "shape.out_channels / shape.groups" : "shape.in_channels / shape.groups", "Window::taps"});
    names.weight = "weight_first";
  }
  return names;
}

}  // namespace stitch::kernels
