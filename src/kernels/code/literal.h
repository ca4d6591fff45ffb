// SPDX-License-Identifier: Apache-2.0
// Numbers as C++ literals that read back as the same number.
#pragma once

#include <string>

#include "ir/graph/graph.h"

namespace stitch::kernels {

// The C++ types of numbers in emitted code.
enum class ScalarType { kFloat, kDouble, kInt64, kBool, kInt, kUint32 };

struct Literal {
  ir::Scalar value = int64_t{0};
  ScalarType type = ScalarType::kInt64;

  // Whether both have the same text.
  bool operator==(const Literal& other) const;
};

const char* to_string(ScalarType type);  // "float", "double", "int64_t", "bool", "int", "uint32_t"
// "1e-05f", "-INFINITY" or "NAN"; "1e-05", "-double{INFINITY}"; "-1", "5000000000ll"; "true"; "7u"
std::string to_text(const Literal& literal);
// Whether the text begins with a minus sign.
bool is_negative(const Literal& literal);
// Whether the number needs no named constant: 0, 1, 2 and -1 do not.
bool speaks_for_itself(const ir::Scalar& scalar);

// What kernels compute elements of `dtype` in: float, double, int64_t or bool.
ScalarType compute_type(DataType dtype);
// `scalar` in the type that kernels compute `dtype` in.
Literal literal(const ir::Scalar& scalar, DataType dtype);
Literal int_literal(int64_t value);
Literal float_literal(double value);

}  // namespace stitch::kernels
