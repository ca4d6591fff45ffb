// SPDX-License-Identifier: Apache-2.0
// Numbers as C++ literals that read back as the same number.
#pragma once

#include <string>

#include "ir/graph/graph.h"

namespace stitch::kernels {

std::string float_literal(double value);  // "1e-05f", "-INFINITY", "NAN"
std::string double_literal(double value);  // "1e-05", "-double{INFINITY}"
std::string int_literal(int64_t value);   // "-1"
// The literal in the type that kernels compute `dtype` in.
std::string literal(const ir::Scalar& scalar, DataType dtype);
// 0, 1, 2 and -1 need no name of their own.
bool speaks_for_itself(const ir::Scalar& scalar);

// The C++ type that kernels compute elements of `dtype` in: float, double, int64_t or bool.
const char* compute_type(DataType dtype);

}  // namespace stitch::kernels
