// SPDX-License-Identifier: Apache-2.0
// The operator registry: what ops.def says of each operator.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/error/result.h"
#include "ir/graph/graph.h"
#include "ir/graph/op.h"

namespace stitch::ir {

enum class OpFamily {
  kPointwise,
  kReduction,
  kNormalization,
  kSoftmax,
  kPool,
  kContraction,
  kConvolution,
  kAttention,
  kRecurrent,
  kMovement,
  kView,
  kGather,
  kCreation,
  kLoss,
  kResampling,
  kScan,
  kSort,
  kScatter,
  kLinearAlgebra
};

// Contents of one value for the slow reference: every element as a double (integers and booleans exactly, |i| <= 2^53).
struct ReferenceTensor {
  TensorType type;
  std::vector<double> data;
};

enum class AttributeKind { kBool, kInt, kDouble, kString, kDataType, kInts, kDoubles };
struct AttributeDef {
  const char* name;
  AttributeKind kind;
};

// Which element types a pointwise operator takes and gives. Its tensor operands all have one type (promotion is
// explicit `to` nodes by then), and a scalar must fit it: no 0.5 beside integers.
enum class ElementRule {
  kFloatingPoint,  // floating point -> the same
  kNumber,         // anything but bool -> the same
  kInteger,        // integers, without bool -> the same
  kAny,            // anything -> the same
  kCompare,        // anything -> bool
  kLogical,        // bool -> bool
};

struct OpDef {
  OpFamily family = OpFamily::kPointwise;
  ElementRule elements = ElementRule::kAny;  // of pointwise operators
  int min_operands = 1;
  int max_operands = 1;
  std::vector<AttributeDef> attributes = {};  // all required in IR text; the frontend fills in ATen's defaults
  // Types of the outputs from operands and attributes, or a sentence saying what does not fit.
  std::function<Result<std::vector<TensorType>>(const Graph&, const Node&)> infer = {};
  // Slow and obvious: outputs from operands, in double. `operands[i]` is null where operand i is not a tensor.
  std::function<std::vector<ReferenceTensor>(const Graph&, const Node&,
                                             const std::vector<const ReferenceTensor*>& operands)>
      reference = {};
};

// Checks `node` against its operator's declaration (operand count, attribute names and kinds), then applies its type
// rule. Errors name operator and place. An "opaque" node has no rule and is refused.
Result<std::vector<TensorType>> infer_types(const Graph& graph, const Node& node);

// The definition of `op`; nullptr for Op::kOpaque alone.
const OpDef* find_op(Op op);

}  // namespace stitch::ir
