// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/library.h"

#include <array>

#include "kernels/conv/rounding.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

enum class LibraryMath { kTf32, kFp32 };

constexpr std::array kSettings = {
    NamedSetting<LibraryMath>{"cudnn_tf32", LibraryMath::kTf32},
    NamedSetting<LibraryMath>{"cudnn_fp32", LibraryMath::kFp32},
};

constexpr int64_t kWorkspaceBytes = int64_t{64} << 20;  // kCudnnWorkspaceBytes of runtime/libraries/cudnn.h
constexpr int64_t kPieces = 3;                          // of scratch memory, each aligned
constexpr int64_t kAlignment = 256;
constexpr int64_t kFloatBytes = 4;

int64_t input_elements(const ConvolutionProblem& problem) {
  int64_t elements = problem.batch * problem.in_channels;
  for (const int64_t extent : problem.in) {
    elements *= extent;
  }
  return elements;
}

int64_t weight_elements(const ConvolutionProblem& problem) {
  return problem.out_channels * problem.in_channels / problem.groups * problem.window.taps();
}

}  // namespace

bool is_cudnn_setting(const Setting& setting) { return is_named(kSettings, setting.variant); }

bool rounds_to_tf32(const Setting& setting) { return meaning_of(kSettings, setting) == LibraryMath::kTf32; }

std::vector<Setting> convolution_library_space(const ConvolutionProblem& problem, MathMode math) {
  if (problem.transposed || problem.window.axes() != 2) {
    return {};
  }
  const bool rounds = operand_rounding(problem, math) != OperandRounding::kNone;
  const LibraryMath wanted = rounds ? LibraryMath::kTf32 : LibraryMath::kFp32;
  return settings_where(kSettings, [&](LibraryMath each) { return each == wanted; });
}

std::string own_setting_for(const Setting& setting) { return rounds_to_tf32(setting) ? "tf32_64x64" : "tf32x3_64x64"; }

// Shares of the peak as PyTorch's convolutions reached them on an H200.
Work convolution_library_work(const Group& group, const ConvolutionProblem& problem, const Setting& setting) {
  constexpr double kTf32Share = 0.35;
  constexpr double kFp32Share = 0.5;
  constexpr int64_t kEnoughBlocks = 132;
  const bool turns = rounds_to_tf32(setting);
  Work work;
  work.bytes = min_bytes(group);
  work.lane_operations = pointwise_operations(group);
  work.flops = 2.0 * static_cast<double>(problem.outputs()) * static_cast<double>(problem.depth());
  work.pipe = turns ? Pipe::kTf32 : Pipe::kFp32;
  work.peak_share = turns ? kTf32Share : kFp32Share;
  work.blocks = kEnoughBlocks;
  const auto sums_bytes = static_cast<double>(kFloatBytes * problem.outputs());
  const auto operand_bytes = static_cast<double>(kFloatBytes * (input_elements(problem) + weight_elements(problem)));
  work.launches = turns ? 4 : 2;
  work.extra_bytes = sums_bytes + (turns ? operand_bytes : 0);
  work.serial_bytes = sums_bytes + (turns ? 2 * operand_bytes : 0);
  return work;
}

int64_t convolution_library_scratch_bytes(const ConvolutionProblem& problem, const Setting& setting) {
  const int64_t operands = rounds_to_tf32(setting) ? input_elements(problem) + weight_elements(problem) : 0;
  return kWorkspaceBytes + kPieces * kAlignment + kFloatBytes * (problem.outputs() + operands);
}

}  // namespace stitch::kernels
