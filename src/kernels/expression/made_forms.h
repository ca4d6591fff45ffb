// SPDX-License-Identifier: Apache-2.0
// Forms of pointwise operators that are more than one operator or function. "whole_": of integers.
#pragma once

#include "kernels/expression/forms.h"

namespace stitch::kernels {

Expr larger(const PointwiseTerms& terms);
Expr smaller(const PointwiseTerms& terms);
Expr choice(const PointwiseTerms& terms);
Expr no(const PointwiseTerms& terms);
Expr truncated_quotient(const PointwiseTerms& terms);
Expr sign_of_one(const PointwiseTerms& terms);  // carries the sign of a zero, too
Expr below_zero(const PointwiseTerms& terms);
Expr above_threshold(const PointwiseTerms& terms);
Expr whole_magnitude(const PointwiseTerms& terms);
Expr whole_sign(const PointwiseTerms& terms);
Expr whole_relu(const PointwiseTerms& terms);
Expr whole_hardtanh(const PointwiseTerms& terms);
Expr whole_heaviside(const PointwiseTerms& terms);
Expr conversion(const PointwiseTerms& terms);
Expr gelu(const PointwiseTerms& terms);
Expr elu(const PointwiseTerms& terms);
Expr clamp(const PointwiseTerms& terms);
Expr whole_clamp(const PointwiseTerms& terms);
Expr power(const PointwiseTerms& terms);
Expr whole_power(const PointwiseTerms& terms);

// `operand`, computed as elements of `from`, as one of `to`.
Expr converted(Expr operand, DataType from, DataType to);
// x ** 0.5 is written as a root.
bool is_square_root(const ir::Scalar& exponent);

}  // namespace stitch::kernels
