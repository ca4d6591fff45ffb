// SPDX-License-Identifier: Apache-2.0
#include "frontend/exported/promotion.h"

#include <algorithm>
#include <array>
#include <optional>

namespace stitch::frontend {
namespace {

bool is_integer(DataType dtype) { return !is_floating_point(dtype) && dtype != DataType::kBool; }

DataType promote_floating(DataType a, DataType b) {
  if (a == DataType::kFloat64 || b == DataType::kFloat64) {
    return DataType::kFloat64;
  }
  return a == b ? a : DataType::kFloat32;  // float16 beside bfloat16 too
}

DataType promote_integers(DataType a, DataType b) {
  if (a == b) {
    return a;
  }
  const DataType larger = element_bytes(a) >= element_bytes(b) ? a : b;
  return element_bytes(a) == 1 && element_bytes(b) == 1 ? DataType::kInt16 : larger;  // int8 beside uint8
}

DataType scalar_type(const ir::Scalar& scalar) {
  constexpr std::array kTypes = {DataType::kBool, DataType::kInt64, DataType::kFloat32};
  return kTypes[scalar.index()];
}

std::optional<DataType> combined(std::optional<DataType> higher, std::optional<DataType> lower) {
  if (!higher.has_value() || !lower.has_value()) {
    return higher.has_value() ? higher : lower;
  }
  if (is_floating_point(*higher)) {
    return higher;
  }
  if (*higher == DataType::kBool || is_floating_point(*lower)) {
    return promote(*higher, *lower);
  }
  return higher;
}

}  // namespace

DataType promote(DataType a, DataType b) {
  if (is_floating_point(a) && is_floating_point(b)) {
    return promote_floating(a, b);
  }
  if (is_integer(a) && is_integer(b)) {
    return promote_integers(a, b);
  }
  if (is_floating_point(a) || is_floating_point(b)) {
    return is_floating_point(a) ? a : b;
  }
  return is_integer(a) ? a : b;
}

DataType result_type(const ir::Graph& graph, const std::vector<ir::Operand>& operands) {
  enum Rank : size_t { kAxes, kNoAxes, kScalar };
  std::array<std::optional<DataType>, 3> ranks;
  const auto join = [&](Rank rank, DataType dtype) {
    ranks[rank] = ranks[rank].has_value() ? promote(*ranks[rank], dtype) : dtype;
  };
  for (const ir::Operand& operand : operands) {
    if (const ir::ValueId* id = std::get_if<ir::ValueId>(&operand)) {
      const TensorType& type = graph.type(*id);
      join(type.shape.empty() ? kNoAxes : kAxes, type.dtype);
    } else if (const ir::Scalar* scalar = std::get_if<ir::Scalar>(&operand)) {
      join(kScalar, scalar_type(*scalar));
    }
  }
  return combined(combined(ranks[kAxes], ranks[kNoAxes]), ranks[kScalar]).value_or(DataType::kFloat32);
}

ir::Scalar scalar_as(const ir::Scalar& scalar, DataType dtype) {
  const double value = std::visit([](auto content) { return static_cast<double>(content); }, scalar);
  if (is_floating_point(dtype)) {
    return value;
  }
  if (dtype == DataType::kBool) {
    return value != 0.0;
  }
  const int64_t* integer = std::get_if<int64_t>(&scalar);
  return integer != nullptr ? *integer : static_cast<int64_t>(value);
}

}  // namespace stitch::frontend
