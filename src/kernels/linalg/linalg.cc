// SPDX-License-Identifier: Apache-2.0
#include "kernels/linalg/linalg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ir/graph/op.h"
#include "kernels/rows/element_functors.h"
#include "kernels/rows/row_functors.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

// As in runtime/kernels/linalg.
constexpr int64_t kSharedBytes = 96 * 1024;
constexpr int64_t kMaxTile = 32;
constexpr int64_t kWarpThreads = 32;

constexpr std::array kSettings = {
    NamedSetting<int>{"block_128", 128},
    NamedSetting<int>{"block_32", 32},
    NamedSetting<int>{"block_512", 512},
};

// A tensor of matrices: the rows of all of them, one behind the other.
struct Matrices {
  int64_t count = 0;
  int64_t rows = 0;
  int64_t columns = 0;
};

Matrices matrices_of(const std::vector<int64_t>& shape) {
  Matrices made{1, shape[shape.size() - 2], shape.back()};
  for (size_t axis = 0; axis + 2 < shape.size(); ++axis) {
    made.count *= shape[axis];
  }
  return made;
}

RowAxes axes_of_matrices(const std::vector<int64_t>& shape) {
  return split_axes(shape, {static_cast<int64_t>(shape.size()) - 1});
}

int64_t element_size(const Group& group) {
  return element_type(*group.graph, ir::tensor_operand(group.root_node(), 0)) == "double" ? 8 : 4;
}

int64_t matrix_scratch_bytes(const Group& group) {
  const Matrices a = matrices_of(group.graph->type(ir::tensor_operand(group.root_node(), 0)).shape);
  const int64_t bytes = a.rows * (a.rows | 1) * element_size(group);
  return bytes <= kSharedBytes ? 0 : a.count * bytes;
}

// Right-hand sides of a block.
int64_t tile_of(const Group& group, const Matrices& b) {
  return std::max<int64_t>(1, std::min({b.columns, kMaxTile, kSharedBytes / (b.rows * element_size(group))}));
}

double ceil_quotient(int64_t value, int64_t divisor) { return static_cast<double>((value + divisor - 1) / divisor); }

// Lane operations of a block, idle lanes counted: steps wait for each other, and the last ones have little to do.
double operations_of_steps(int64_t rows, int64_t tile, int threads) {
  constexpr double kBarriers = 120;
  constexpr double kPerPlace = 4;
  double rounds = 0;
  for (int64_t left = rows; left > 0; --left) {
    rounds += tile > 0 ? ceil_quotient(left * tile, threads)
                       : ceil_quotient(left, threads / kWarpThreads) * ceil_quotient(left, kWarpThreads);
  }
  return threads * (kBarriers * static_cast<double>(rows) + kPerPlace * rounds);
}

class Linalg final : public KernelTemplate {
 public:
  const char* name() const override { return "linalg"; }

  bool is_root(const ir::Graph&, const ir::Node& node) const override {
    return node.op == ir::Op::kCholesky || node.op == ir::Op::kLu || node.op == ir::Op::kSolveTriangular;
  }

  std::vector<Setting> space(const Group&, const DeviceLimits&, MathMode) const override {
    return settings_where(kSettings, [](int) { return true; });
  }

  Work work(const Group& group, const Setting& setting) const override;
  Result<StepDraft> draft(const Group& group, const Setting& setting) const override;
};

Work Linalg::work(const Group& group, const Setting& setting) const {
  const ir::Node& node = group.root_node();
  const int threads = meaning_of(kSettings, setting);
  const Matrices a = matrices_of(group.graph->type(ir::tensor_operand(node, 0)).shape);
  Work work;
  work.bytes = min_bytes(group);
  work.bandwidth_share = 0.5;
  work.threads_per_block = threads;
  work.blocks_per_multiprocessor = std::min(16, 2048 / threads);
  work.blocks = a.count;
  int64_t tile = 0;
  if (node.op == ir::Op::kSolveTriangular) {
    const Matrices b = matrices_of(group.graph->type(node.outputs[0]).shape);
    tile = tile_of(group, b);
    work.blocks = a.count * static_cast<int64_t>(ceil_quotient(b.columns, tile));
  } else if (const int64_t scratch = matrix_scratch_bytes(group); scratch > 0) {
    work.extra_bytes = static_cast<double>(scratch * a.rows) * 2 / 3;  // what is left is read and written at each step
  }
  work.lane_operations =
      pointwise_operations(group) + static_cast<double>(work.blocks) * operations_of_steps(a.rows, tile, threads);
  return work;
}

Result<LoweredFunctor> make_store(StepBuilder& step) {
  const Group& group = step.group();
  const ir::Graph& graph = *group.graph;
  const ir::ValueId made = group.root_node().outputs[0];
  const RowAxes axes = axes_of_matrices(graph.type(made).shape);
  const Domain domain(graph.type(made).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(group.results[0]).name) + "Store", domain,
                         {{"row", axes.rows}, {"column", axes.columns}});
  builder.bind(made, domain.anchor_map(), bound("value"));
  STITCH_TRY(builder.store_results());
  return builder.finish({.comment = "Stores what follows from one element of a matrix.",
                         .extra_parameters = fmt::format("{} value", element_type(graph, made))});
}

Result<void> draft_solve(StepBuilder& step, int threads) {
  const Group& group = step.group();
  const ir::Graph& graph = *group.graph;
  const ir::Node& node = group.root_node();
  const ir::ValueId a = ir::tensor_operand(node, 0);
  const ir::ValueId b = ir::tensor_operand(node, 1);
  step.include("kernels/linalg/solve_triangular.cuh");
  step.describe("Access: a block has some right-hand sides in shared memory, and reads the triangle column by column.");
  step.describe("Bound: latency, one barrier or two for each row.");
  STITCH_ASSIGN(const LoweredFunctor load_a, make_element_loader(step, a, axes_of_matrices(graph.type(a).shape)));
  STITCH_ASSIGN(const LoweredFunctor load_b, make_element_loader(step, b, axes_of_matrices(graph.type(b).shape)));
  STITCH_ASSIGN(const LoweredFunctor store, make_store(step));
  construct(step, load_a, "load_a");
  construct(step, load_b, "load_b");
  construct(step, store, "store");
  const Matrices sides = matrices_of(graph.type(b).shape);
  step.launch("const stitch::TriangularShape shape{{{}, {}, {}}};", step.extent("matrices", sides.count),
              step.extent("rows", sides.rows), step.extent("columns", sides.columns, "right-hand sides of a matrix"));
  step.launch("return stitch::launch_solve_triangular<{}, {}, {}, {}>(load_a, load_b, store, shape, stream);",
              element_type(graph, a), step.int_constant("threads", threads), ir::bool_attribute(node, "upper"),
              ir::bool_attribute(node, "unitriangular"));
  return {};
}

Result<void> draft_factors(StepBuilder& step, int threads) {
  const Group& group = step.group();
  const ir::Graph& graph = *group.graph;
  const ir::Node& node = group.root_node();
  const ir::ValueId a = ir::tensor_operand(node, 0);
  const bool is_cholesky = node.op == ir::Op::kCholesky;
  step.include(is_cholesky ? "kernels/linalg/cholesky.cuh" : "kernels/linalg/lu.cuh");
  step.describe("Access: a block has one matrix, in shared memory where it fits, and takes out column after column.");
  step.describe("Bound: latency, {} barriers for each column.", is_cholesky ? 2 : 4);
  STITCH_ASSIGN(const LoweredFunctor load, make_element_loader(step, a, axes_of_matrices(graph.type(a).shape)));
  STITCH_ASSIGN(const LoweredFunctor store, make_store(step));
  construct(step, load, "load");
  construct(step, store, "store");
  const Matrices matrices = matrices_of(graph.type(a).shape);
  step.launch("const stitch::SquareShape shape{{{}, {}}};", step.extent("matrices", matrices.count),
              step.extent("columns", matrices.columns, "and rows of a matrix"));
  step.set_scratch_bytes(matrix_scratch_bytes(group));
  step.launch("return stitch::launch_{}<{}, {}>(load, store, shape, args->scratch, stream);",
              is_cholesky ? "cholesky" : "lu", element_type(graph, a), step.int_constant("threads", threads));
  return {};
}

Result<StepDraft> Linalg::draft(const Group& group, const Setting& setting) const {
  StepBuilder step(group);
  const int threads = meaning_of(kSettings, setting);
  STITCH_TRY(group.root_node().op == ir::Op::kSolveTriangular ? draft_solve(step, threads)
                                                              : draft_factors(step, threads));
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_linalg() { return std::make_unique<Linalg>(); }

}  // namespace stitch::kernels
