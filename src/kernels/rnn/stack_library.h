// SPDX-License-Identifier: Apache-2.0
// cuDNN as a setting of steps that are stacks of recurrent layers.
#pragma once

#include <vector>

#include "artifact/task/math_mode.h"
#include "kernels/code/step_builder.h"
#include "kernels/rnn/stack_problem.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

bool is_stack_library(const Setting& setting);
// "cudnn_tf32", or "cudnn_fp32" where operands of recurrent layers are not to be rounded, and (with "_2") by kernels
// that keep the weights on chip; none where cuDNN has no such layers.
std::vector<Setting> stack_library_space(const Stack& stack, MathMode math);
Work stack_library_work(const Group& group, const Stack& stack, const Setting& setting);
// Adds the call and `return` of it, unless it answers that there is no library; scratch memory that the step has by
// then is followed by the library's. `shape`, `operands`, `state` and `store` are there already.
void add_stack_library_call(StepBuilder& step, const Stack& stack, const Setting& setting, int64_t own_scratch_bytes);

}  // namespace stitch::kernels
