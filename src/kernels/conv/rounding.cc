// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/rounding.h"

#include <algorithm>

namespace stitch::kernels {
namespace {

constexpr int64_t kMostChannelsLeftExact = 8;  // of the input, in mode kernelbench
constexpr int64_t kLargeWindow = 49;           // taps, along two axes

// Seven by seven or larger along two axes, strided and padded.
bool has_large_window(const ConvolutionProblem& problem) {
  const WindowNumbers& window = problem.window;
  const auto is_beyond = [](const std::vector<int64_t>& numbers, int64_t least) {
    return std::any_of(numbers.begin(), numbers.end(), [&](int64_t number) { return number > least; });
  };
  return window.axes() == 2 && window.taps() >= kLargeWindow && is_beyond(window.stride, 1) &&
         is_beyond(window.padding, 0);
}

// Volumes of eight channels and few results.
bool is_narrow_volume(const ConvolutionProblem& problem) {
  constexpr int64_t kManyResults = 64;
  return problem.window.axes() == 3 && problem.in_channels >= kMostChannelsLeftExact &&
         problem.out_channels < kManyResults;
}

bool is_rounded_by_baseline(const ConvolutionProblem& problem) {
  return problem.groups == 1 && (problem.transposed || problem.in_channels > kMostChannelsLeftExact ||
                                 has_large_window(problem) || is_narrow_volume(problem));
}

}  // namespace

OperandRounding operand_rounding(const ConvolutionProblem& problem, MathMode math) {
  switch (math) {
    case MathMode::kFp32:
      return OperandRounding::kNone;
    case MathMode::kKernelBench:
      return is_rounded_by_baseline(problem) ? OperandRounding::kRequired : OperandRounding::kNone;
    case MathMode::kTf32:
    case MathMode::kReduced:
      return OperandRounding::kAllowed;
  }
  return OperandRounding::kNone;
}

}  // namespace stitch::kernels
