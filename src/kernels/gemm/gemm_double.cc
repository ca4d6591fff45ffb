// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/gemm_double.h"

#include <fmt/format.h>

#include "ir/graph/op.h"
#include "kernels/gemm/problem.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"

namespace stitch::kernels {
namespace {

constexpr int64_t kTile = 16;

Result<LoweredFunctor> make_epilogue_double(StepBuilder& step, const GemmProblem& problem) {
  const Group& group = step.group();
  const ir::ValueId output = group.root_node().outputs[0];
  const auto rank = static_cast<int>(group.graph->type(output).shape.size());
  const Domain domain(group.graph->type(output).shape);
  FunctorBuilder builder(step, pascal_case(group.graph->value(group.results[0]).name) + "Epilogue", domain,
                         {{"batch", problem.batch_axes}, {"row", problem.row_axes}, {"column", {rank - 1}}});
  const IndexMap map = domain.anchor_map();
  Expr result = bound("accumulator");
  if (problem.bias.has_value()) {
    STITCH_ASSIGN(Expr bias, builder.value(*problem.bias, {map.back()}));
    result = sum(std::move(result), std::move(bias));
  }
  builder.bind_computation(output, map, std::move(result));
  STITCH_TRY(builder.store_results());
  return builder.finish({.comment = "Stores one element of the product.", .extra_parameters = "double accumulator"});
}

void add_operand_double(StepBuilder& step, const GemmProblem& problem, const GemmOperand& operand, bool is_lhs) {
  const std::string name = is_lhs ? "lhs" : "rhs";
  Expr data = cast("const double*", step.tensor(operand.stored));
  if (operand.offset != 0) {
    data = sum(std::move(data), step.extent(name + "_offset", operand.offset));
  }
  const auto stride = [&](const char* axis, int64_t value) {
    return step.extent(fmt::format("{}_{}_stride", name, axis), value);
  };
  step.launch("const stitch::StridedMatrix<double> {}{{", name);
  step.launch("    .data = {},", data);
  step.launch("    .batch_stride = {},", stride("batch", operand.batch_stride));
  step.launch("    .row_stride = {},", stride("row", is_lhs ? operand.outer_stride : operand.k_stride));
  step.launch("    .column_stride = {},", stride("column", is_lhs ? operand.k_stride : operand.outer_stride));
  step.launch("    .inner_batch_stride = {},", stride("inner_batch", operand.inner_batch_stride));
  if (problem.middle_batch > 1) {
    step.launch("    .middle_batch_stride = {},", stride("middle_batch", operand.middle_batch_stride));
  }
  step.launch("};");
}

class GemmDouble final : public KernelTemplate {
 public:
  const char* name() const override { return "gemm_double"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return (node.op == ir::Op::kLinear || node.op == ir::Op::kMatmul) &&
           graph.type(ir::tensor_operand(node, 0)).dtype == DataType::kFloat64;
  }

  std::vector<ir::ValueId> store_first(const Group& group) const override {
    GemmProblem problem;
    return analyse_gemm(group, problem);
  }

  std::vector<Setting> space(const Group&, const DeviceLimits&, MathMode) const override {
    return {{"plain_16x16", 1}};
  }

  Work work(const Group& group, const Setting&) const override {
    GemmProblem problem;
    analyse_gemm(group, problem);
    Work work;
    work.bytes = min_bytes(group);
    work.lane_operations = pointwise_operations(group);
    work.flops = 2.0 * static_cast<double>(problem.batch * problem.m) * static_cast<double>(problem.n) *
                 static_cast<double>(problem.k);
    work.padded_flops = work.flops;
    work.peak_share = 0.1;  // of fp32's peak: doubles are half as fast at best, and every product reads shared memory
    work.blocks = problem.batch * ((problem.m + kTile - 1) / kTile) * ((problem.n + kTile - 1) / kTile);
    work.threads_per_block = kTile * kTile;
    work.blocks_per_multiprocessor = 8;
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting&) const override {
    GemmProblem problem;
    if (const auto missing = analyse_gemm(group, problem); !missing.empty()) {
      return failure(ErrorCode::kUnsupportedOperator,
                     group.graph->value(missing[0]).name + " has no layout that a GEMM reads");
    }
    StepBuilder step(group);
    step.include("kernels/gemm/double_precision.cuh");
    step.describe("Access: tiles of 16 x 16 of both operands through shared memory.");
    step.describe("Bound: shared memory, two reads a multiply-add.");
    STITCH_ASSIGN(const LoweredFunctor epilogue, make_epilogue_double(step, problem));
    construct(step, epilogue, "epilogue");
    step.launch("const stitch::GemmShape shape{");
    step.launch("    .batch = {},", step.extent("batch", problem.batch, "matrices"));
    step.launch("    .m = {},", step.extent("rows", problem.m, "of lhs and the result"));
    step.launch("    .n = {},", step.extent("columns", problem.n, "of rhs and the result"));
    step.launch("    .k = {},", step.extent("depth", problem.k, "summed over"));
    step.launch("    .inner_batch = {},",
                step.extent("inner_batch", problem.inner_batch, "inner one of two batch levels"));
    if (problem.middle_batch > 1) {
      step.launch("    .middle_batch = {},", step.extent("middle_batch", problem.middle_batch, "the level between"));
    }
    step.launch("};");
    add_operand_double(step, problem, problem.a, true);
    add_operand_double(step, problem, problem.b, false);
    step.launch("return stitch::double_precision::launch_gemm(shape, lhs, rhs, epilogue, stream);");
    return step.take();
  }
};

}  // namespace

std::unique_ptr<KernelTemplate> make_gemm_double() { return std::make_unique<GemmDouble>(); }

}  // namespace stitch::kernels
