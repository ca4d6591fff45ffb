// SPDX-License-Identifier: Apache-2.0
#include "ir/ops.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "artifact/tensor/extents.h"
#include "ir/graph/op.h"
#include "ir/ops/pointwise/registry.h"
#include "ir/ops/support/convolution.h"
#include "ir/ops/support/pool.h"
#include "ir/ops/support/position_of_extreme.h"
#include "ir/ops/support/random.h"
#include "ir/ops/support/row_axis.h"
#include "ir/ops/support/triangle.h"

namespace stitch::ir {

#define STITCH_POINTWISE(name, meaning, definition, floating_point, integer, boolean, cost, range)
#define STITCH_OP(name, operands, family) OpDef name##_def();
#define STITCH_OP_AS(name, operands, family, definition)
#include "ir/ops/ops.def"
#undef STITCH_OP
#undef STITCH_OP_AS

namespace {

constexpr int kAnyNumber = -1;

using Registry = std::array<OpDef, kOpCount>;

void define(Registry& registry, Op op, OpDef def, int operands, OpFamily family) {
  def.family = family;
  def.min_operands = operands == kAnyNumber ? 1 : operands;
  def.max_operands = operands == kAnyNumber ? std::numeric_limits<int>::max() : operands;
  registry[index_of(op)] = std::move(def);
}

const Registry& registry() {
  static const Registry operators = [] {
    Registry all;
    define_pointwise(all);
#define STITCH_OP(name, operands, family) define(all, op_named(#name), name##_def(), operands, OpFamily::family);
#define STITCH_OP_AS(name, operands, family, definition) \
  define(all, op_named(#name), definition, operands, OpFamily::family);
#include "ir/ops/ops.def"
#undef STITCH_OP
#undef STITCH_OP_AS
#undef STITCH_POINTWISE
    return all;
  }();
  return operators;
}

AttributeKind kind_of(const Attribute& value) {
  // The order of the variant's alternatives.
  constexpr AttributeKind kKinds[] = {AttributeKind::kBool,   AttributeKind::kInt,      AttributeKind::kDouble,
                                      AttributeKind::kString, AttributeKind::kDataType, AttributeKind::kInts,
                                      AttributeKind::kDoubles};
  return kKinds[value.index()];
}

Result<void> check_declaration(const Node& node, const OpDef& def) {
  const auto count = static_cast<int>(node.operands.size());
  if (count < def.min_operands || count > def.max_operands) {
    return failure(ErrorCode::kProgramInvalid,
                   fmt::format("takes {} operands, not {} (one left out is written none)", def.min_operands, count));
  }
  if (node.attributes.size() != def.attributes.size()) {
    return failure(ErrorCode::kProgramInvalid,
                   fmt::format("takes {} attributes, not {}", def.attributes.size(), node.attributes.size()));
  }
  for (size_t i = 0; i < def.attributes.size(); ++i) {
    const auto& [name, value] = node.attributes[i];
    if (name != def.attributes[i].name) {
      return failure(ErrorCode::kProgramInvalid,
                     fmt::format("attribute {} is {}, not {}", i, def.attributes[i].name, name));
    }
    if (kind_of(value) != def.attributes[i].kind) {
      return failure(ErrorCode::kProgramInvalid, fmt::format("attribute {} is of another kind", name));
    }
  }
  return {};
}

Result<std::vector<TensorType>> checked_extents(std::vector<TensorType> types) {
  for (const TensorType& type : types) {
    STITCH_TRY(check_extents(type));
  }
  return types;
}

}  // namespace

const OpDef* find_op(Op op) { return op == Op::kOpaque ? nullptr : &registry()[index_of(op)]; }

Result<std::vector<TensorType>> infer_types(const Graph& graph, const Node& node) {
  const OpDef* def = find_op(node.op);
  if (def == nullptr) {
    return failure(ErrorCode::kUnsupportedOperator, fmt::format("there is no operator {}", to_string(node.op)),
                   node.location);
  }
  if (auto checked = check_declaration(node, *def); !checked.has_value()) {
    Error error = with_context(checked.error(), to_string(node.op));
    error.location = node.location;
    return failure(std::move(error));
  }
  auto types = def->infer(graph, node);
  if (types.has_value()) {
    types = checked_extents(std::move(types).value());
  }
  if (!types.has_value()) {
    Error error = with_context(types.error(), to_string(node.op));
    error.location = node.location;
    return failure(std::move(error));
  }
  return types;
}

}  // namespace stitch::ir
