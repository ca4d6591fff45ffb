// SPDX-License-Identifier: Apache-2.0
// Which convolutions are computed on operands rounded to TF32.
#pragma once

#include "artifact/task/math_mode.h"
#include "kernels/conv/problem.h"

namespace stitch::kernels {

enum class OperandRounding {
  kNone,      // fp32's class
  kAllowed,   // TF32 or anything finer
  kRequired,  // TF32: among steps that round, a finer one brings the result no closer to that of the baseline
};

// What a math mode says of the operands of this convolution, which are fp32. Modes `tf32` and `reduced` allow TF32
// always. Mode `kernelbench` has the arithmetic of the baseline's cuDNN, as bench/results/cudnn-rounding-h200.md found
// it in 129 calls on an H200, cudnn-layouts-h200.md in 495: convolutions of one group are rounded along one to three
// axes where they are transposed, have more than eight input channels, are of eight along three axes and make fewer
// than 64, or have a large padded window in strides along two, but for some; grouped and depthwise ones never are, and
// most others with few channels are not.
OperandRounding operand_rounding(const ConvolutionProblem& problem, MathMode math);

}  // namespace stitch::kernels
