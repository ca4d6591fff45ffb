// SPDX-License-Identifier: Apache-2.0
// Special functions that the C++ library lacks, in double.
#pragma once

namespace stitch::ir {

// y with erf(y) = x: an approximation by elementary functions (Winitzki, 2008), then Newton's method to the last place.
double inverse_erf(double x);
// exp(x^2) erfc(x): the product up to 8, then Laplace's continued fraction.
double scaled_erfc(double x);
// The derivative of lgamma: recurrence up to 10, then the asymptotic series; the reflection formula below zero.
double digamma(double x);

}  // namespace stitch::ir
