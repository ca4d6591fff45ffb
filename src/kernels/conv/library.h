// SPDX-License-Identifier: Apache-2.0
// cuDNN as a setting of convolution steps and of transposed ones.
#pragma once

#include <string>
#include <vector>

#include "artifact/task/math_mode.h"
#include "kernels/code/step_builder.h"
#include "kernels/conv/layout.h"
#include "kernels/conv/problem.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

bool is_cudnn_setting(const Setting& setting);
// Whether cuDNN computes on images with channels last then.
bool takes_channels_last(const Setting& setting);
// Whether a pass of ours takes cuDNN's sums to the results of the step then.
bool has_finish(const Group& group, const Setting& setting);
// "cudnn_tf32", which takes operands with channels last, turned where they lie otherwise, and turns the sums back where
// they are not wanted so; "cudnn_tf32_nchw", or else "cudnn_fp32", which leave them as they lie; each with the
// algorithm that cuDNN advises, and (with "_2") the next best one.
std::vector<Setting> convolution_library_space(const ConvolutionProblem& problem, const ConvolutionLayout& layout,
                                               MathMode math);
// The setting that replaces it where cuDNN is not installed.
std::string own_setting_for(const Setting& setting);

Work convolution_library_work(const Group& group, const ConvolutionProblem& problem, const Setting& setting);
int64_t convolution_library_scratch_bytes(const Group& group, const ConvolutionProblem& problem,
                                          const Setting& setting);

// What takes cuDNN's sums: the name of a functor of the step's function, and whether its lanes may be called at every
// fourth pixel (runtime/kernels/conv/turned.cuh).
struct LibraryFinish {
  std::string functor;
  Expr vectorised;
};
// Adds the call and `return` of it, unless it answers that there is no library. `shape`, `input`, `weight`, `Window`
// and the functor are there already.
void add_library_call(StepBuilder& step, const ConvolutionProblem& problem, const Setting& setting,
                      const LibraryFinish& epilogue);

}  // namespace stitch::kernels
