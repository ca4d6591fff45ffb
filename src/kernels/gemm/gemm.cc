// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/gemm.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/graph/op.h"
#include "kernels/gemm/chunks.h"
#include "kernels/gemm/library.h"
#include "kernels/gemm/planes.h"
#include "kernels/gemm/problem.h"
#include "kernels/gemm/registers.h"
#include "kernels/gemm/thin.h"
#include "kernels/gemm/variants.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/template/epilogue.h"

namespace stitch::kernels {
namespace {

constexpr int64_t kMaxSplits = 16;
constexpr int64_t kMinDepthOfSplit = 256;  // of K: shorter parts do not repay their partial sums

constexpr const char* kPortable = "tf32x3_64x64";  // a setting in whose place one of another table stands

// Those that gemm_setting() does not know.
bool is_of_other_table(const Setting& setting) {
  return is_thin(setting) || is_planes(setting) || is_chunks(setting) || is_registers(setting);
}

// Whether prepare() splits b, and the product keeps its parts.
bool keeps_rhs(const Setting& setting) {
  return is_registers(setting) || (is_planes(setting) && keeps_planes(setting)) ||
         (is_chunks(setting) && chunks_keep_planes(setting));
}

bool is_float_storage(DataType dtype) {
  return dtype == DataType::kFloat32 || dtype == DataType::kFloat16 || dtype == DataType::kBfloat16;
}

bool on_floats(const Group& group, const GemmProblem& problem) {
  return group.graph->type(problem.a.stored).dtype == DataType::kFloat32;
}

// What tiles outside of a triangle do not cost.
void leave_out(const GemmProblem& problem, int64_t tile_rows, int64_t tile_columns, Work& work) {
  work.flops *= problem.kept.share_of_tiles(problem.m, problem.n, 1, 1);
  work.padded_flops *= problem.kept.share_of_tiles(problem.m, problem.n, tile_rows, tile_columns);
}

class Gemm final : public KernelTemplate {
 public:
  const char* name() const override { return "gemm"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return (node.op == ir::Op::kLinear || node.op == ir::Op::kMatmul) &&
           is_float_storage(graph.type(ir::tensor_operand(node, 0)).dtype);
  }

  std::vector<ir::ValueId> store_first(const Group& group) const override {
    GemmProblem problem;
    return analyse_gemm(group, problem);
  }

  std::vector<Setting> space(const Group& group, const DeviceLimits& limits, MathMode math) const override {
    GemmProblem problem;
    analyse_gemm(group, problem);
    std::vector<Setting> settings;
    for (const GemmVariant& variant : on_floats(group, problem) ? gemm_variants(products_may_round(math), limits)
                                                                : sixteen_bit_gemm_variants(limits)) {
      settings.push_back(to_setting({&variant}));
      for (const int64_t splits : {2, 4, 8, 16}) {
        if (problem.k / splits >= kMinDepthOfSplit) {
          settings.push_back(to_setting({&variant, splits}));
        }
      }
    }
    const std::vector<Setting> thin = thin_settings(group, problem, math);
    settings.insert(settings.end(), thin.begin(), thin.end());
    const std::vector<Setting> planes = planes_settings(group, problem, limits);
    settings.insert(settings.end(), planes.begin(), planes.end());
    const std::vector<Setting> chunks = chunk_settings(group, problem, limits);
    settings.insert(settings.end(), chunks.begin(), chunks.end());
    const std::vector<Setting> registers = register_settings(group, problem, limits);
    settings.insert(settings.end(), registers.begin(), registers.end());
    return settings;
  }

  std::vector<Setting> library_space(const Group& group, const DeviceLimits&, MathMode math) const override {
    GemmProblem problem;
    analyse_gemm(group, problem);
    return gemm_library_space(group, problem, math);
  }

  bool allows(const Group& group, const Setting& setting) const override {
    if (is_library_setting(setting)) {
      return allows_library(group, setting);
    }
    if (is_of_other_table(setting)) {
      GemmProblem problem;
      analyse_gemm(group, problem);
      return is_thin(setting)     ? allows_thin(group, problem)
             : is_planes(setting) ? allows_planes(group, problem, setting)
             : is_chunks(setting) ? allows_chunks(group, problem, setting)
                                  : allows_registers(group, problem, setting);
    }
    const auto own = gemm_setting(setting);
    return own.has_value() && own->splits_of_depth <= kMaxSplits &&
           KernelTemplate::allows(group, to_setting({own->variant}));
  }

  Work work(const Group& group, const Setting& setting) const override {
    GemmProblem problem;
    analyse_gemm(group, problem);
    if (is_library_setting(setting)) {
      return gemm_library_work(group, problem, setting);
    }
    if (is_thin(setting)) {
      return thin_work(group, problem, setting);
    }
    if (is_planes(setting)) {
      return planes_work(group, problem, setting);
    }
    if (is_chunks(setting)) {
      return chunk_work(group, problem, setting);
    }
    if (is_registers(setting)) {
      return register_work(group, problem, setting);
    }
    Work work;
    work.bytes = min_bytes(group);
    work.lane_operations = pointwise_operations(group);
    const GemmVariant& tile = *gemm_setting(setting)->variant;
    add_gemm_work(tile, problem.batch, problem.m, problem.n, problem.k, setting.splits, work);
    leave_out(problem, tile.m, tile.n, work);
    // Columns that hang over are multiplied and, what is more, tested.
    constexpr double kOfOverhang = 0.3;
    work.peak_share *= 1 - kOfOverhang * overhanging_part(work);
    if (setting.splits == 1 && stores_apart(group)) {
      constexpr double kNeighbours = 2.2;  // that a thread stores together
      add_waiting_work(group, results_of_thread(tile) / kNeighbours, work);
    }
    if (on_floats(group, problem)) {
      // A tile's results are stored while nothing else of it is under way: products of depth 32 and 64 show it.
      constexpr double kStores = 1.5;
      work.serial_bytes +=
          kStores * sizeof(float) * static_cast<double>(problem.batch * problem.m) * static_cast<double>(problem.n);
    }
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override;
};

Result<LoweredFunctor> make_epilogue(StepBuilder& step, const GemmProblem& problem) {
  const Group& group = step.group();
  const ir::ValueId output = group.root_node().outputs[0];
  const auto rank = static_cast<int>(group.graph->type(output).shape.size());
  const Domain domain(group.graph->type(output).shape);
  FunctorBuilder builder(step, pascal_case(group.graph->value(group.results[0]).name) + "Epilogue", domain,
                         {{"batch", problem.batch_axes}, {"row", problem.row_axes}, {"column", {rank - 1}}});
  const Expr accumulator = bound("accumulator", "accumulators[lane]");
  if (problem.bias.has_value()) {
    const IndexMap map = domain.anchor_map();
    STITCH_ASSIGN(Expr bias, builder.value(*problem.bias, {map.back()}));
    builder.bind_computation(output, map, sum(accumulator, std::move(bias)));
  } else {
    builder.bind(output, domain.anchor_map(), accumulator);
  }
  STITCH_TRY(builder.store_results());
  return builder.finish({.comment = "Stores one element of the product, or kLanes neighbouring ones.",
                         .lane_value = "accumulator",
                         .may_take_lanes = true});
}

Expr number(int64_t value) { return literal_expr(int_literal(value)); }

void add_operand(StepBuilder& step, const GemmProblem& problem, const GemmOperand& operand, bool is_lhs) {
  const std::string name = is_lhs ? "lhs" : "rhs";
  const std::string type = cuda_type_name(step.group().graph->type(operand.stored).dtype);
  Expr data = cast(fmt::format("const {}*", type), step.tensor(operand.stored));
  if (operand.offset != 0) {
    data = sum(std::move(data), step.extent(name + "_offset", operand.offset));
  }
  const bool has_batch = !problem.batch_axes.empty();
  const auto stride = [&](const std::string& axis, int64_t value) {
    return step.extent(fmt::format("{}_{}_stride", name, axis), value);
  };
  step.launch("const stitch::StridedMatrix<{}> {}{{", type, name);
  step.launch("    .data = {},", data);
  step.launch("    .batch_stride = {},", has_batch ? stride("batch", operand.batch_stride) : number(0));
  const bool k_is_one = operand.layout == Layout::kContiguousK;
  const Expr k_stride = k_is_one ? number(1) : stride("k", operand.k_stride);
  const Expr outer_stride = k_is_one ? stride(is_lhs ? "row" : "column", operand.outer_stride) : number(1);
  step.launch("    .row_stride = {},", is_lhs ? outer_stride : k_stride);
  step.launch("    .column_stride = {},", is_lhs ? k_stride : outer_stride);
  if (has_batch) {
    step.launch("    .inner_batch_stride = {},", stride("inner_batch", operand.inner_batch_stride));
  }
  if (problem.middle_batch > 1) {
    step.launch("    .middle_batch_stride = {},", stride("middle_batch", operand.middle_batch_stride));
  }
  step.launch("};");
}

void add_shape(StepBuilder& step, const GemmProblem& problem, const Expr& columns, const Expr& vectorised) {
  const bool has_batch = !problem.batch_axes.empty();
  step.launch("const stitch::GemmShape shape{");
  step.launch("    .batch = {},", has_batch ? step.extent("batch", problem.batch, "matrices") : number(1));
  step.launch("    .m = {},", step.extent("rows", problem.m, "of lhs and the result"));
  step.launch("    .n = {},", columns);
  step.launch("    .k = {},", step.extent("depth", problem.k, "summed over"));
  if (has_batch) {
    step.launch("    .inner_batch = {},",
                step.extent("inner_batch", problem.inner_batch, "inner one of two batch levels"));
  }
  if (problem.middle_batch > 1) {
    step.launch("    .middle_batch = {},", step.extent("middle_batch", problem.middle_batch, "the level between"));
  }
  step.launch("    .epilogue_vectorised = {},", vectorised);
  if (problem.kept.least.has_value()) {
    step.launch("    .kept = {{.least = {}}},", number(*problem.kept.least));
  } else if (problem.kept.greatest.has_value()) {
    step.launch("    .kept = {{.greatest = {}}},", number(*problem.kept.greatest));
  }
  step.launch("};");
}

void describe(StepBuilder& step, const GemmProblem& problem, const GemmVariant& variant) {
  const auto read = [](Layout layout) { return layout == Layout::kContiguousK ? "along k" : "across k"; };
  step.describe("Access: tiles of {} x {} results; lhs is read {}, rhs {}, both once per tile through shared memory.",
                variant.m, variant.n, read(problem.a.layout), read(problem.b.layout));
  if (variant.math == TensorMath::kTf32x3) {
    step.describe(
        "Arithmetic: each product as three of TF32 parts on the tensor cores, sums promoted to fp32 in time.");
  }
  if (variant.math == TensorMath::kSixteenBit) {
    step.describe("Arithmetic: 16-bit operands as they are on the tensor cores, sums in fp32.");
  }
  step.describe("Bound: arithmetic once all three extents are beyond a few hundred, memory below.");
}

void describe_kept(StepBuilder& step, const GemmProblem& problem) {
  if (!problem.kept.are_all()) {
    step.describe("Tiles outside of the triangle that is taken of the product are not multiplied.");
  }
}

const char* layout_name(Layout layout) {
  return layout == Layout::kContiguousK ? "stitch::Layout::kContiguousK" : "stitch::Layout::kContiguousOuter";
}

void describe_planes(StepBuilder& step, const Setting& setting) {
  step.include("kernels/gemm/wgmma.cuh");
  step.describe(
      "Access: {} once and written as planes; tiles of {} come as they are to shared memory by the copy engine.",
      keeps_planes(setting) ? "rhs lies as planes since prepare(), lhs is read" : "both operands are read",
      planes_tile_text(setting));
  step.describe(
      "Arithmetic: rows are scaled by powers of two and split into two fp16 parts, each product is three of parts "
      "on the tensor cores, sums promoted to fp32 in time; rows that two parts do not hold go through TF32 parts.");
  step.describe("Bound: arithmetic.");
}

void describe_chunks(StepBuilder& step, const Setting& setting) {
  step.include("kernels/gemm/wgmma_chunks.cuh");
  step.describe(
      "Access: {}; a block splits what it reads of tiles of {} on the way to shared memory.",
      chunks_keep_planes(setting) ? "rhs lies as planes since prepare(), lhs is read" : "both operands are read",
      chunk_tile_text(setting));
  step.describe(
      "Arithmetic: chunks of 32 along k are scaled by powers of two and split into two fp16 parts, each product is "
      "three of parts on the tensor cores, sums promoted to fp32 every chunk; tiles that two parts do not hold are "
      "multiplied again in fp32.");
  if (setting.splits > 1) {
    step.describe("The depth of a tile is shared by {} blocks{}.", setting.splits,
                  chunks_in_scratch(setting) ? "" : " of a cluster");
  }
  step.describe("Bound: arithmetic.");
}

void describe_registers(StepBuilder& step, const Setting& setting) {
  step.include("kernels/gemm/wgmma_registers.cuh");
  step.describe(
      "Access: tiles of {}; lhs is read along k, into shared memory as it is and from there into registers; rhs lies "
      "split since prepare(), in the order in which the tensor cores read it.",
      register_tile_text(setting));
  step.describe(
      "Arithmetic: each product as three of TF32 parts on the tensor cores, small ones first, sums promoted to fp32 "
      "every 32 along k; tiles that two parts do not hold are multiplied again in fp32.");
  if (setting.splits > 1) {
    step.describe("The depth of a tile is shared by {} blocks of a cluster.", setting.splits);
  }
  step.describe("Bound: arithmetic, or latency where there are few tiles.");
}

// What the step's file includes, and says of itself.
void introduce(StepBuilder& step, const GemmProblem& problem, const Setting& setting, const GemmVariant& variant) {
  const bool in_sixteen_bits = variant.math == TensorMath::kSixteenBit;
  if (is_thin(setting)) {
    step.include("kernels/gemm/mma_thin.cuh");
    step.describe(
        "Access: a block holds 128 rows of lhs in registers and walks along rhs, tiles of which come through "
        "shared memory; sums are stored from registers, 64 bytes of a row at once.");
    step.describe("Bound: memory, the product is written for longer than it is multiplied.");
  } else if (is_planes(setting)) {
    describe_planes(step, setting);
  } else if (is_chunks(setting)) {
    describe_chunks(step, setting);
  } else if (is_registers(setting)) {
    describe_registers(step, setting);
  } else {
    step.include(in_sixteen_bits                     ? "kernels/gemm/mma_16bit.cuh"
                 : variant.math != TensorMath::kNone ? "kernels/gemm/mma.cuh"
                                                     : "kernels/gemm/ffma.cuh");
    describe(step, problem, variant);
  }
  if (!is_thin(setting)) {
    describe_kept(step, problem);
  }
  for (const GemmOperand& operand : {problem.a, problem.b}) {
    const DataType dtype = step.group().graph->type(operand.stored).dtype;
    if (dtype == DataType::kFloat16 || dtype == DataType::kBfloat16) {
      step.include("kernels/common/half.cuh");
    }
  }
}

// "stitch::launch_gemm_mma<stitch::Tf32x3, stitch::MmaTileMedium", but for the layouts.
std::string launched(const GemmProblem& problem, const Setting& setting, const GemmSetting& own) {
  if (is_thin(setting)) {
    return fmt::format("stitch::launch_gemm_mma_thin<{}", thin_arguments(problem, setting));
  }
  if (is_planes(setting)) {
    return fmt::format("stitch::launch_gemm_{}planes<stitch::{}", keeps_planes(setting) ? "kept_" : "",
                       planes_tile(setting));
  }
  if (is_chunks(setting)) {
    return chunk_launch(setting);
  }
  if (is_registers(setting)) {
    return register_launch(setting);
  }
  const TensorMath math = own.variant->math;
  const char* split = own.splits_of_depth > 0 ? "_split_k" : "";
  if (math == TensorMath::kNone || math == TensorMath::kSixteenBit) {
    return fmt::format("stitch::launch_gemm_{}{}<stitch::{}", math == TensorMath::kNone ? "ffma" : "mma_16bit", split,
                       own.variant->tile);
  }
  return fmt::format("stitch::launch_gemm_mma{}<stitch::{}, stitch::{}", split, policy_type(math), own.variant->tile);
}

// What the launch takes after its operands' layouts.
void add_last_arguments(StepBuilder& step, const GemmProblem& problem, const Setting& setting, const GemmSetting& own) {
  const char* layout = layout_name(problem.b.layout);
  if (own.splits_of_depth > 0 || (is_chunks(setting) && chunks_in_scratch(setting))) {
    constexpr int kFloatBytes = 4;
    step.set_scratch_bytes(setting.splits * problem.batch * problem.m * problem.n * kFloatBytes);
    step.launch("    {}>(shape, lhs, rhs, epilogue, {}, args->scratch, stream);", layout,
                step.extent("splits", setting.splits, "blocks that share the depth of one tile"));
    return;
  }
  const char* kept = keeps_rhs(setting) ? "args->kept, " : "";
  const char* scratch = is_planes(setting) ? "args->scratch, " : "";
  if (is_planes(setting)) {
    step.set_scratch_bytes(planes_scratch_bytes(problem, setting));
  }
  step.launch("    {}>(shape, lhs, rhs, epilogue, {}{}stream);", layout, kept, scratch);
}

Result<StepDraft> Gemm::draft(const Group& group, const Setting& setting) const {
  GemmProblem problem;
  if (const auto missing = analyse_gemm(group, problem); !missing.empty()) {
    return failure(ErrorCode::kUnsupportedOperator,
                   group.graph->value(missing[0]).name + " has no layout that a GEMM reads");
  }
  StepBuilder step(group);
  const bool by_library = is_library_setting(setting);
  const bool is_own = !by_library && !is_of_other_table(setting);
  const GemmSetting own = is_own       ? *gemm_setting(setting)
                          : by_library ? GemmSetting{&gemm_variant(own_setting_for(group, problem, setting))}
                                       : GemmSetting{&gemm_variant(kPortable)};
  introduce(step, problem, setting, *own.variant);
  STITCH_ASSIGN(const LoweredFunctor epilogue, make_epilogue(step, problem));
  construct(step, epilogue, "epilogue");
  const Expr columns = step.extent("columns", problem.n, "of rhs and the result");
  const Expr vectorised = prove_vectorised(step, columns, {{&epilogue, "epilogue"}});
  add_shape(step, problem, columns, vectorised);
  add_operand(step, problem, problem.a, true);
  add_operand(step, problem, problem.b, false);
  if (by_library) {
    add_library_call(step, problem, setting,
                     fmt::format("{}, {}", layout_name(problem.a.layout), layout_name(problem.b.layout)));
  }
  if (keeps_rhs(setting)) {
    const bool in_order = is_registers(setting);
    step.set_kept_bytes(in_order ? register_kept_bytes(problem, setting) : kept_planes_bytes(problem));
    step.launch("if (args->fills_kept) {");
    step.launch("  return {}{}>(rhs, shape.n, shape.k, args->kept, stream);",
                in_order ? register_arranging(setting) : "stitch::launch_split_rhs<", layout_name(problem.b.layout));
    step.launch("}");
  }
  step.launch("return {}, {},", launched(problem, setting, own), layout_name(problem.a.layout));
  add_last_arguments(step, problem, setting, own);
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_gemm() { return std::make_unique<Gemm>(); }

}  // namespace stitch::kernels
