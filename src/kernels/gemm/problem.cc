// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/problem.h"

#include <algorithm>

#include "ir/graph/op.h"
#include "kernels/lowering/strided_view.h"

namespace stitch::kernels {
namespace {

constexpr size_t kMaxBatchLevels = 3;  // of runtime/kernels/gemm/operands.cuh

// Neighbouring axes that both operands walk as one.
struct Level {
  int64_t extent = 1;
  int64_t a_stride = 0;
  int64_t b_stride = 0;
};

std::vector<Level> merged(const std::vector<Level>& axes) {
  std::vector<Level> levels;
  for (const Level& axis : axes) {
    if (axis.extent == 1) {
      continue;
    }
    const bool continues = !levels.empty() && levels.back().a_stride == axis.a_stride * axis.extent &&
                           levels.back().b_stride == axis.b_stride * axis.extent;
    if (continues) {
      levels.back() = {levels.back().extent * axis.extent, axis.a_stride, axis.b_stride};
    } else {
      levels.push_back(axis);
    }
  }
  return levels;
}

bool choose_layout(GemmOperand& operand, int64_t outer_extent, int64_t k_extent) {
  if (k_extent == 1) {
    operand.k_stride = 1;
  }
  if (operand.k_stride == 1) {
    operand.layout = Layout::kContiguousK;
    return true;
  }
  if (outer_extent == 1) {
    operand.outer_stride = 1;
  }
  operand.layout = Layout::kContiguousOuter;
  return operand.outer_stride == 1;
}

// The strides of an operand's leading axes along each of the result's, 0 where it is broadcast.
std::vector<int64_t> leading_strides(const StridedView& view, const std::vector<int64_t>& shape,
                                     size_t result_leading) {
  std::vector<int64_t> strides(result_leading, 0);
  const size_t own = shape.size() - 2;
  for (size_t i = 0; i < own; ++i) {
    strides[result_leading - own + i] = shape[i] == 1 ? 0 : view.strides[i];
  }
  return strides;
}

std::vector<int> axes_up_to(size_t count) {
  std::vector<int> axes;
  for (size_t i = 0; i < count; ++i) {
    axes.push_back(static_cast<int>(i));
  }
  return axes;
}

bool analyse_linear(const Group& group, const StridedView& x, const StridedView& weight, GemmProblem& problem) {
  const ir::Node& node = group.root_node();
  const std::vector<int64_t>& shape = group.graph->type(ir::tensor_operand(node, 0)).shape;
  std::vector<Level> rows;
  for (size_t i = 0; i + 1 < shape.size(); ++i) {
    rows.push_back({shape[i], x.strides[i], 0});
    problem.m *= shape[i];
  }
  problem.n = group.graph->type(ir::tensor_operand(node, 1)).shape[0];
  problem.k = shape.back();
  const std::vector<Level> levels = merged(rows);
  problem.a.outer_stride = levels.empty() ? problem.k : levels.back().a_stride;
  problem.a.k_stride = x.strides.back();
  problem.b.outer_stride = weight.strides[0];
  problem.b.k_stride = weight.strides[1];
  problem.row_axes = axes_up_to(shape.size() - 1);
  if (node.operands.size() > 2 && ir::is_tensor(node.operands[2])) {
    problem.bias = std::get<ir::ValueId>(node.operands[2]);
  }
  return levels.size() <= 1;
}

// Three levels are more than a library takes. Where each element is multiplied often, a library's product of a copy is
// the faster one.
bool is_copying_dear(const GemmProblem& problem) {
  constexpr int64_t kMaxUses = 64;
  return problem.m * problem.n <= kMaxUses * (problem.m + problem.n);
}

bool analyse_matmul(const Group& group, const StridedView& a, const StridedView& b, GemmProblem& problem) {
  const ir::Node& node = group.root_node();
  const std::vector<int64_t>& a_shape = group.graph->type(ir::tensor_operand(node, 0)).shape;
  const std::vector<int64_t>& b_shape = group.graph->type(ir::tensor_operand(node, 1)).shape;
  const std::vector<int64_t>& shape = group.graph->type(node.outputs[0]).shape;
  const size_t leading = shape.size() - 2;
  problem.m = shape[leading];
  problem.n = shape[leading + 1];
  problem.k = a_shape.back();
  problem.a.outer_stride = a.strides[a.strides.size() - 2];
  problem.a.k_stride = a.strides.back();
  problem.b.k_stride = b.strides[b.strides.size() - 2];
  problem.b.outer_stride = b.strides.back();
  const std::vector<int64_t> a_leading = leading_strides(a, a_shape, leading);
  const std::vector<int64_t> b_leading = leading_strides(b, b_shape, leading);
  std::vector<Level> levels;
  for (size_t i = 0; i < leading; ++i) {
    levels.push_back({shape[i], a_leading[i], b_leading[i]});
    problem.batch *= shape[i];
  }
  // One right-hand side for the whole batch: the batch is more rows.
  if (std::all_of(b_leading.begin(), b_leading.end(), [](int64_t stride) { return stride == 0; })) {
    std::vector<Level> rows = levels;
    rows.push_back({problem.m, problem.a.outer_stride, 0});
    if (const std::vector<Level> all = merged(rows); all.size() <= 1) {
      problem.m *= problem.batch;
      problem.batch = 1;
      problem.a.outer_stride = all.empty() ? problem.k : all[0].a_stride;
      problem.row_axes = axes_up_to(leading + 1);
      return true;
    }
  }
  problem.batch_axes = axes_up_to(leading);
  problem.row_axes = {static_cast<int>(leading)};
  const std::vector<Level> batch = merged(levels);
  if (!batch.empty()) {
    problem.a.batch_stride = batch[0].a_stride;
    problem.b.batch_stride = batch[0].b_stride;
  }
  if (batch.size() > 1) {
    problem.inner_batch = batch.back().extent;
    problem.a.inner_batch_stride = batch.back().a_stride;
    problem.b.inner_batch_stride = batch.back().b_stride;
  }
  if (batch.size() > 2) {
    problem.middle_batch = batch[1].extent;
    problem.a.middle_batch_stride = batch[1].a_stride;
    problem.b.middle_batch_stride = batch[1].b_stride;
  }
  return batch.size() <= 2 || (batch.size() == kMaxBatchLevels && is_copying_dear(problem));
}

}  // namespace

std::vector<ir::ValueId> analyse_gemm(const Group& group, GemmProblem& problem) {
  const ir::Node& node = group.root_node();
  const ir::ValueId a_value = ir::tensor_operand(node, 0);
  const ir::ValueId b_value = ir::tensor_operand(node, 1);
  const auto a = strided_view(group, a_value);
  const auto b = strided_view(group, b_value);
  std::vector<ir::ValueId> missing;
  if (!a.has_value()) {
    missing.push_back(a_value);
  }
  if (!b.has_value() && b_value != a_value) {
    missing.push_back(b_value);
  }
  if (!missing.empty()) {
    return missing;
  }
  problem.a.stored = a->stored;
  problem.a.offset = a->offset;
  problem.b.stored = b->stored;
  problem.b.offset = b->offset;
  const bool fits =
      node.op == ir::Op::kLinear ? analyse_linear(group, *a, *b, problem) : analyse_matmul(group, *a, *b, problem);
  const auto rank = static_cast<int>(group.graph->type(node.outputs[0]).shape.size());
  if (problem.row_axes.size() == 1 && problem.row_axes[0] == rank - 2) {
    problem.kept = kept_diagonals(group);
  }
  const bool a_fits = choose_layout(problem.a, problem.m, problem.k);
  const bool b_fits = choose_layout(problem.b, problem.n, problem.k);
  if (!a_fits || !fits) {
    missing.push_back(a_value);
  }
  if ((!b_fits || !fits) && node.op != ir::Op::kLinear && b_value != a_value) {
    missing.push_back(b_value);
  } else if (!b_fits && node.op == ir::Op::kLinear) {
    missing.push_back(b_value);
  }
  // What is in memory contiguously already is not the obstacle.
  missing.erase(
      std::remove_if(missing.begin(), missing.end(), [&](ir::ValueId value) { return !group.computes(value); }),
      missing.end());
  return missing;
}

}  // namespace stitch::kernels
