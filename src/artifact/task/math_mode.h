// SPDX-License-Identifier: Apache-2.0
// The arithmetic that a program may use. It determines what error is accepted and which baseline is fair.
#pragma once

#include <string_view>

#include "base/error/result.h"

namespace stitch {

enum class MathMode { kFp32, kKernelBench, kTf32, kReduced };
const char* to_string(MathMode mode);  // "fp32", "kernelbench", "tf32", "reduced"
Result<MathMode> math_mode_from_string(std::string_view name);

}  // namespace stitch
