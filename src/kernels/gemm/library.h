// SPDX-License-Identifier: Apache-2.0
// cuBLASLt as a setting of GEMM steps: when it can stand for a group, what it can do behind the product, and the call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "artifact/task/math_mode.h"
#include "kernels/code/step_builder.h"
#include "kernels/gemm/problem.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// What the library itself does after the product. It covers all of the group's nodes after the root.
struct LibraryEpilogue {
  std::optional<ir::ValueId> bias;
  std::optional<ir::ValueId> residual;
  std::string activation = "kNone";  // of stitch::LibraryActivation
};

bool is_library_setting(const Setting& setting);
// "cublaslt_tf32", where the library does the whole step, and "cublaslt_tf32_then", where a second kernel takes the
// product through the epilogue; none where the library takes no such product.
std::vector<Setting> gemm_library_space(const Group& group, const GemmProblem& problem, MathMode math);
// The library's stand-in where it is not installed: a setting that computes the same everywhere.
std::string own_setting_for(const Group& group, const GemmProblem& problem, const Setting& setting);

Work gemm_library_work(const Group& group, const GemmProblem& problem, const Setting& setting);
// Adds the call and `return` of it, unless it answers that there is no library. `a`, `b`, `shape` and `epilogue` are
// there already.
void add_library_call(StepBuilder& step, const GemmProblem& problem, const Setting& setting,
                      const std::string& layouts);

}  // namespace stitch::kernels
