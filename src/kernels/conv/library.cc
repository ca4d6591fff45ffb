// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/library.h"

#include <algorithm>

namespace stitch::kernels {
namespace {

constexpr const char* kTf32 = "cudnn_tf32";
constexpr const char* kFp32 = "cudnn_fp32";
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

bool is_cudnn_setting(const Setting& setting) { return setting.variant == kTf32 || setting.variant == kFp32; }

std::vector<Setting> convolution_library_space(const ConvolutionProblem& problem, MathMode math) {
  if (problem.transposed || problem.window.axes() != 2) {
    return {};
  }
  return {{math == MathMode::kTf32 || math == MathMode::kReduced ? kTf32 : kFp32, 1}};
}

std::string own_setting_for(const Setting& setting) { return setting.variant == kTf32 ? "tf32_64x64" : "tf32x3_64x64"; }

// Shares of the peak as PyTorch's convolutions reached them on an H200.
Work convolution_library_work(const Group& group, const ConvolutionProblem& problem, const Setting& setting) {
  constexpr double kTf32Share = 0.35;
  constexpr double kFp32Share = 0.5;
  constexpr int64_t kEnoughBlocks = 132;
  const bool turns = setting.variant == kTf32;
  Work work;
  work.bytes = least_bytes(group);
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
  const int64_t operands = setting.variant == kTf32 ? input_elements(problem) + weight_elements(problem) : 0;
  return kWorkspaceBytes + kPieces * kAlignment + kFloatBytes * (problem.outputs() + operands);
}

}  // namespace stitch::kernels
