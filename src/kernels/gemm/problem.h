// SPDX-License-Identifier: Apache-2.0
// A linear or matmul node in the terms of the GEMM skeletons: extents, strides, layouts.
#pragma once

#include <optional>
#include <vector>

#include "kernels/gemm/kept_diagonals.h"
#include "kernels/group/group.h"

namespace stitch::kernels {

enum class Layout { kContiguousK, kContiguousOuter };

struct GemmOperand {
  ir::ValueId stored;
  int64_t offset = 0;
  int64_t batch_stride = 0;
  int64_t inner_batch_stride = 0;
  int64_t middle_batch_stride = 0;
  int64_t outer_stride = 0;  // of m for A, of n for B
  int64_t k_stride = 0;
  Layout layout = Layout::kContiguousK;
};

struct GemmProblem {
  int64_t batch = 1;
  int64_t inner_batch = 1;
  int64_t middle_batch = 1;
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
  GemmOperand a;
  GemmOperand b;
  std::optional<ir::ValueId> bias;  // one element per column
  std::vector<int> batch_axes;      // of the node's output, as the epilogue's coordinates walk them
  std::vector<int> row_axes;
  KeptDiagonals kept;
};

// Fills in `problem`. Returns the operands that must be stored first where the group is no GEMM yet; empty on success.
std::vector<ir::ValueId> analyse_gemm(const Group& group, GemmProblem& problem);

}  // namespace stitch::kernels
