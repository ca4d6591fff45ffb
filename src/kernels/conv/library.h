// SPDX-License-Identifier: Apache-2.0
// cuDNN as a setting of convolution steps over two axes.
#pragma once

#include <string>
#include <vector>

#include "artifact/task/math_mode.h"
#include "kernels/conv/problem.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

bool is_cudnn_setting(const Setting& setting);
// Whether cuDNN rounds the operands to TF32 there; the setting is one of cuDNN's.
bool rounds_to_tf32(const Setting& setting);
// "cudnn_tf32" or "cudnn_fp32"; empty for a problem that cuDNN's forward convolution does not compute.
std::vector<Setting> convolution_library_space(const ConvolutionProblem& problem, MathMode math);
// The setting that replaces it where cuDNN is not installed.
std::string own_setting_for(const Setting& setting);

Work convolution_library_work(const Group& group, const ConvolutionProblem& problem, const Setting& setting);
int64_t convolution_library_scratch_bytes(const ConvolutionProblem& problem, const Setting& setting);

}  // namespace stitch::kernels
