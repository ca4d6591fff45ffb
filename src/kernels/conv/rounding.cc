// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/rounding.h"

namespace stitch::kernels {
namespace {

constexpr int64_t kMostChannelsLeftExact = 8;  // of the input, in mode kernelbench

}  // namespace

OperandRounding operand_rounding(const ConvolutionProblem& problem, MathMode math) {
  switch (math) {
    case MathMode::kFp32:
      return OperandRounding::kNone;
    case MathMode::kKernelBench:
      return problem.groups == 1 && problem.in_channels > kMostChannelsLeftExact ? OperandRounding::kRequired
                                                                                 : OperandRounding::kNone;
    case MathMode::kTf32:
    case MathMode::kReduced:
      return OperandRounding::kAllowed;
  }
  return OperandRounding::kNone;
}

}  // namespace stitch::kernels
