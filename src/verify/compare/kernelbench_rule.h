// SPDX-License-Identifier: Apache-2.0
// KernelBench's own rule, torch.allclose against the native run. Not an accuracy class: reported beside the error
// budget.
#pragma once

#include <cmath>
#include <span>

#include "artifact/tensor/data_type.h"
#include "verify/compare/constants.h"

namespace stitch::verify {

// torch.allclose with one number for both tolerances.
inline bool is_allclose(std::span<const double> native, std::span<const double> got, double tolerance) {
  for (size_t i = 0; i < native.size(); ++i) {
    // As allclose does it: equal infinities agree, a NaN never does.
    const bool close =
        std::isfinite(native[i]) && std::fabs(got[i] - native[i]) <= tolerance + tolerance * std::fabs(native[i]);
    if (!(close || got[i] == native[i])) {
      return false;
    }
  }
  return true;
}

inline bool kernelbench_rule_holds(std::span<const double> native, std::span<const double> got, DataType type) {
  const bool is_half = type == DataType::kFloat16 || type == DataType::kBfloat16;
  return is_allclose(native, got, is_half ? kKernelBenchHalfTolerance : kKernelBenchTolerance);
}

}  // namespace stitch::verify
