// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ir/graph/op.h"
#include "kernels/gemm/variants.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

struct LibrarySetting {
  bool rounds_to_tf32;
  bool has_second_kernel;  // which computes what the library's epilogue cannot
};

constexpr std::array kSettings = {
    NamedSetting<LibrarySetting>{"cublaslt_tf32", {true, false}},
    NamedSetting<LibrarySetting>{"cublaslt_tf32_then", {true, true}},
    NamedSetting<LibrarySetting>{"cublaslt_fp32", {false, false}},
    NamedSetting<LibrarySetting>{"cublaslt_fp32_then", {false, true}},
};

constexpr int64_t kWorkspaceBytes = int64_t{32} << 20;  // kCublasLtWorkspaceBytes of runtime/libraries/cublaslt.h
constexpr int kFloatBytes = 4;

bool is_half(DataType dtype) { return dtype == DataType::kFloat16 || dtype == DataType::kBfloat16; }

DataType operand_type(const Group& group, const GemmProblem& problem) {
  return group.graph->type(problem.a.stored).dtype;
}

// The only node of the group that uses `value`; null when there is none or more than one.
const ir::Node* only_user(const Group& group, ir::ValueId value) {
  const ir::Node* user = nullptr;
  for (const ir::NodeId id : group.nodes) {
    for (const ir::Operand& operand : group.graph->node(id).operands) {
      if (!ir::is_tensor(operand) || std::get<ir::ValueId>(operand) != value) {
        continue;
      }
      if (user != nullptr) {
        return nullptr;
      }
      user = &group.graph->node(id);
    }
  }
  return user;
}

// The other operand of an addition when it lies in memory and has the product's type; for a row of one element per
// column, `is_row` is set.
std::optional<ir::ValueId> added_tensor(const Group& group, const ir::Node& node, ir::ValueId product, bool* is_row) {
  if (node.op != ir::Op::kAdd || node.operands.size() != 2 || !ir::is_tensor(node.operands[0]) ||
      !ir::is_tensor(node.operands[1])) {
    return std::nullopt;
  }
  const ir::ValueId first = ir::tensor_operand(node, 0);
  const ir::ValueId other = first == product ? ir::tensor_operand(node, 1) : first;
  const TensorType& wanted = group.graph->type(product);
  const TensorType& type = group.graph->type(other);
  *is_row = type.shape.size() == 1 && wanted.shape.size() > 1 && type.shape[0] == wanted.shape.back();
  const bool fits = *is_row || type.shape == wanted.shape;
  return fits && type.dtype == wanted.dtype && group.reads(other) ? std::optional(other) : std::nullopt;
}

// cuBLASLt's GELU is the tanh form. Its ReLU and GELU keep NaN, as PyTorch's do (seen with cuBLAS 13.0 on an H200).
std::optional<std::string> activation_of(const ir::Node& node) {
  if (node.op == ir::Op::kRelu) {
    return "kRelu";
  }
  const bool is_gelu = node.op == ir::Op::kGelu && ir::string_attribute(node, "approximate") == "tanh";
  return is_gelu ? std::optional<std::string>("kGeluTanh") : std::nullopt;
}

// What lies in memory where the group sees `value`: itself, or what reshapes make it of; none where it is computed.
std::optional<ir::ValueId> in_memory(const Group& group, ir::ValueId value) {
  while (!group.reads(value)) {
    const ir::NodeId maker = group.graph->value(value).producer;
    if (!maker.is_valid() || group.graph->node(maker).op != ir::Op::kReshape) {
      return std::nullopt;
    }
    value = ir::tensor_operand(group.graph->node(maker), 0);
  }
  return value;
}

std::optional<LibraryEpilogue> whole_epilogue(const Group& group, const GemmProblem& problem) {
  LibraryEpilogue epilogue;
  epilogue.bias = problem.bias.has_value() ? in_memory(group, *problem.bias) : std::nullopt;
  if (epilogue.bias.has_value() != problem.bias.has_value()) {
    return std::nullopt;
  }
  ir::ValueId value = group.root_node().outputs[0];
  const TensorType root_type = group.graph->type(value);
  if (group.results.size() != 1 || root_type.dtype != operand_type(group, problem)) {
    return std::nullopt;
  }
  if (problem.bias.has_value() && group.graph->type(*problem.bias).dtype != root_type.dtype) {
    return std::nullopt;
  }
  while (value != group.results[0]) {
    const ir::Node* user = only_user(group, value);
    if (user == nullptr || epilogue.activation != "kNone") {
      return std::nullopt;
    }
    bool is_row = false;
    const auto added = added_tensor(group, *user, value, &is_row);
    std::optional<ir::ValueId>& place = is_row ? epilogue.bias : epilogue.residual;
    if (added.has_value() && !place.has_value()) {
      place = added;
    } else if (const auto activation = activation_of(*user)) {
      epilogue.activation = *activation;
    } else {
      return std::nullopt;
    }
    value = user->outputs[0];
  }
  return only_user(group, value) == nullptr ? std::optional(epilogue) : std::nullopt;
}

}  // namespace

bool is_library_setting(const Setting& setting) { return is_named(kSettings, setting.variant); }

std::vector<Setting> gemm_library_space(const Group& group, const GemmProblem& problem, MathMode math) {
  const DataType dtype = operand_type(group, problem);
  const bool takes = (dtype == DataType::kFloat32 || is_half(dtype)) && problem.inner_batch == 1 &&
                     group.graph->type(problem.b.stored).dtype == dtype;
  if (!takes) {
    return {};
  }
  const bool is_fast = dtype == DataType::kFloat32 && products_may_round(math);
  const bool needs_second_kernel = !whole_epilogue(group, problem).has_value();
  return settings_where(kSettings, [&](const LibrarySetting& each) {
    return each.rounds_to_tf32 == is_fast && (each.has_second_kernel || !needs_second_kernel);
  });
}

std::string own_setting_for(const Group& group, const GemmProblem& problem, const Setting& setting) {
  if (operand_type(group, problem) != DataType::kFloat32) {
    return "mma16_64x64";
  }
  return meaning_of(kSettings, setting).rounds_to_tf32 ? "tf32_64x64" : "tf32x3_64x64";
}

// Shares of the peak as seen on an H200 (bench/results/libraries-h200.md), where rows that no 16-byte load fits cost it
// half and more, and where the first tiles are still on their way for as long as 64 steps of the depth take. For a
// product of few tiles its blocks share the depth, as ours do, and a second launch adds the parts.
Work gemm_library_work(const Group& group, const GemmProblem& problem, const Setting& setting) {
  constexpr double kFp32Share = 0.78;
  constexpr double kTensorShare = 0.45;
  constexpr double kUnalignedShare = 0.205;
  constexpr double kStepsOfFill = 64;
  constexpr double kOfNarrow = 0.75;  // of fp32, with fewer columns than its tiles have
  constexpr int64_t kColumnsOfTile = 128;
  constexpr int64_t kTile = 64;
  constexpr int64_t kSmallTile = 32;
  constexpr int64_t kLeastDepth = 256;
  Work work;
  work.bytes = min_bytes(group);
  work.lane_operations = pointwise_operations(group);
  work.flops = 2.0 * static_cast<double>(problem.batch * problem.m) * static_cast<double>(problem.n) *
               static_cast<double>(problem.k);
  const LibrarySetting library = meaning_of(kSettings, setting);
  work.pipe = is_half(operand_type(group, problem)) ? Pipe::kFp16 : library.rounds_to_tf32 ? Pipe::kTf32 : Pipe::kFp32;
  const int64_t aligned = work.pipe == Pipe::kFp16 ? 8 : 4;
  const bool is_aligned = problem.n % aligned == 0 && problem.k % aligned == 0;
  work.peak_share = work.pipe == Pipe::kFp32 ? kFp32Share : (is_aligned ? kTensorShare : kUnalignedShare);
  const auto depth = static_cast<double>(std::max<int64_t>(problem.k, 1));
  work.peak_share *=
      depth / (depth + kStepsOfFill) * (work.pipe == Pipe::kFp32 && problem.n < kColumnsOfTile ? kOfNarrow : 1.0);
  const auto tiles_of = [&](int64_t side) {
    return problem.batch * ((problem.m + side - 1) / side) * ((problem.n + side - 1) / side);
  };
  work.padded_flops =
      2.0 * static_cast<double>(tiles_of(kSmallTile) * kSmallTile * kSmallTile) * static_cast<double>(problem.k);
  const int64_t tiles = tiles_of(kTile);
  constexpr int64_t kEnough = 132;
  const int64_t splits = std::max<int64_t>(1, std::min(kEnough / tiles, problem.k / kLeastDepth));
  work.blocks = tiles * splits;
  // A thin product of many tiles reads and writes 2.1 TB/s on an H100 (2,048 times 100 rows of 512 to 32 columns).
  constexpr int kBlocksAtOnce = 4;
  constexpr double kThinShare = 0.67;
  constexpr int kThreadsOfWhole = 683;  // its loads are under way long before they are needed
  work.threads_per_block = kThreadsOfWhole;
  work.blocks_per_multiprocessor = kBlocksAtOnce;
  work.bandwidth_share = kThinShare;
  const double product_bytes =
      kFloatBytes * static_cast<double>(problem.batch * problem.m) * static_cast<double>(problem.n);
  if (splits > 1) {
    work.launches = 2;
    work.extra_bytes = product_bytes * static_cast<double>(splits);
    work.serial_bytes = product_bytes * static_cast<double>(splits);
  }
  if (library.has_second_kernel) {
    work.launches += 1;
    work.extra_bytes += product_bytes;
    work.serial_bytes += product_bytes;
  }
  return work;
}

void add_library_call(StepBuilder& step, const GemmProblem& problem, const Setting& setting,
                      const std::string& layouts) {
  const Group& group = step.group();
  const bool half = is_half(operand_type(group, problem));
  const LibrarySetting library = meaning_of(kSettings, setting);
  const char* math = library.rounds_to_tf32 ? "kTf32" : "kFp32";
  step.include(half ? "kernels/gemm/library_half.cuh" : "kernels/gemm/library.cuh");
  step.launch("constexpr stitch::LibraryMath kMath = stitch::LibraryMath::{};", math);
  const std::string arguments = fmt::format("<kMath, {}>", layouts);
  step.launch("// cuBLASLt where it is installed; elsewhere it answers cudaErrorNotSupported and our own kernel runs.");
  if (library.has_second_kernel) {
    step.launch("const cudaError_t by_library = stitch::launch_gemm_library_then{}(", arguments);
    step.launch("    args, shape, lhs, rhs, epilogue, stream);");
    step.set_scratch_bytes(kWorkspaceBytes + kFloatBytes * problem.batch * problem.m * problem.n);
  } else {
    const LibraryEpilogue fused = *whole_epilogue(group, problem);
    const std::string type = cuda_type_name(group.graph->type(group.results[0]).dtype);
    step.launch("const stitch::LibraryEpilogue library_epilogue{");
    if (fused.bias.has_value()) {
      step.launch("    .bias = {},", step.tensor(*fused.bias));
    }
    if (fused.residual.has_value()) {
      step.launch("    .residual = {},", step.tensor(*fused.residual));
    }
    step.launch("    .activation = stitch::LibraryActivation::{},", fused.activation);
    step.launch("};");
    step.launch("auto* result = static_cast<{}*>({});", type, step.tensor(group.results[0]));
    step.launch("const cudaError_t by_library = stitch::launch_gemm_library{}(", arguments);
    step.launch("    args, shape, lhs, rhs, result, library_epilogue, args->scratch, stream);");
    step.set_scratch_bytes(kWorkspaceBytes);
  }
  step.launch("if (by_library != cudaErrorNotSupported) {");
  step.launch("  return by_library;");
  step.launch("}");
}

}  // namespace stitch::kernels
