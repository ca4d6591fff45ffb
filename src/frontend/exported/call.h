// SPDX-License-Identifier: Apache-2.0
// One exported node on its way into the graph: its arguments by position or keyword, and the nodes emitted for it.
// Converters (frontend/aten/) are functions of a Call.
#pragma once

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/exported/program.h"
#include "ir/build/builder.h"
#include "ir/graph/op.h"

namespace stitch::frontend {

using ir::Absent;
using ir::Op;
using ir::Operand;
using ir::Scalar;
using ir::ValueId;
using Attributes = std::vector<std::pair<std::string, ir::Attribute>>;
using ValueMap = std::map<std::string, ValueId>;

// The values of the node's outputs in order; an invalid id for one that is not computed. An error of code
// kUnsupportedOperator or kProgramInvalid means "not in this form": the node is then carried opaquely.
using Converted = Result<std::vector<ValueId>>;
constexpr ValueId kNotComputed{};

// The position of an argument that is given by keyword alone.
constexpr size_t kNowhere = std::numeric_limits<size_t>::max();

class Call {
 public:
  // `used`: the names that any node or output of the program takes.
  Call(const ExportedNode& node, const ValueMap& values, const std::set<std::string>& used, ir::Builder& builder)
      : node_(node), values_(values), used_(used), builder_(builder) {}

  const ExportedNode& node() const { return node_; }
  // Whether anything takes the node's output at this position.
  bool uses_output(size_t position) const;
  const TensorType& type(ValueId id) const { return builder_.graph().type(id); }
  const std::vector<int64_t>& shape(ValueId id) const { return type(id).shape; }
  const ir::Graph& graph() const { return builder_.graph(); }

  // The argument at `position`, or else the keyword; nullptr when it is not given or None.
  const Argument* argument(size_t position, const char* name) const;
  bool has(size_t position, const char* name) const { return argument(position, name) != nullptr; }

  Result<ValueId> tensor(size_t position, const char* name) const;
  Result<Operand> optional_tensor(size_t position, const char* name) const;
  Result<Operand> tensor_or_scalar(size_t position, const char* name) const;
  Result<std::vector<ValueId>> tensors(size_t position, const char* name) const;
  // A list some of whose places hold no tensor.
  Result<std::vector<std::optional<ValueId>>> optional_tensors(size_t position, const char* name) const;
  // Without a default the argument must be there.
  Result<int64_t> integer(size_t position, const char* name, std::optional<int64_t> missing = {}) const;
  Result<double> number(size_t position, const char* name, std::optional<double> missing = {}) const;
  Result<bool> boolean(size_t position, const char* name, std::optional<bool> missing = {}) const;
  Result<std::string> text(size_t position, const char* name, std::optional<std::string> missing = {}) const;
  Result<std::vector<int64_t>> integers(size_t position, const char* name,
                                        std::optional<std::vector<int64_t>> missing = {}) const;
  Result<std::optional<DataType>> dtype(size_t position, const char* name) const;

  // An axis counted from the front; `rank` is that of the tensor it belongs to.
  Result<int64_t> axis(int64_t dim, size_t rank) const;

  // Emits one operator: as an intermediate value, or as the node's (only) output.
  Result<ValueId> emit(Op op, std::vector<Operand> operands, Attributes attributes = {});
  // The same for an operator with several outputs.
  Result<std::vector<ValueId>> emit_all(Op op, std::vector<Operand> operands, Attributes attributes = {});
  Converted finish(Op op, std::vector<Operand> operands, Attributes attributes = {});
  // A node whose outputs are the exported ones, as many as the operator gives.
  Converted finish_all(Op op, std::vector<Operand> operands, Attributes attributes = {});

  // Nothing is emitted where nothing would change.
  Result<ValueId> reshape(ValueId x, std::vector<int64_t> shape);
  Result<ValueId> expand(ValueId x, std::vector<int64_t> shape);
  Result<ValueId> cast(ValueId x, DataType dtype);
  // A pointwise operator after PyTorch's promotion of its operands.
  Result<ValueId> pointwise(Op op, std::vector<Operand> operands, Attributes attributes = {});
  Converted finish_pointwise(Op op, std::vector<Operand> operands, Attributes attributes = {});
  // The operands in the one type that the operator computes in.
  Result<std::vector<Operand>> promoted(Op op, std::vector<Operand> operands);

  // Why this form is not supported.
  Unexpected unsupported(const std::string& reason) const;
  Result<void> require(bool fits, const std::string& reason) const;

 private:
  ir::Node make_node(Op op, std::vector<Operand> operands, Attributes attributes) const;
  Unexpected missing_argument(const char* name, const char* kind) const;

  const ExportedNode& node_;
  const ValueMap& values_;
  const std::set<std::string>& used_;
  ir::Builder& builder_;
};

using Converter = Converted (*)(Call&);

}  // namespace stitch::frontend
