// SPDX-License-Identifier: Apache-2.0
// Elements of any type as doubles or integers, and what a floating-point type can hold.
#pragma once

#include <cstdint>

#include "artifact/tensor/host_tensor.h"

namespace stitch::verify {

// Elements begin ... begin + count - 1. Integers beyond 2^53 lose low bits as doubles: compare those with
// load_integers.
void load_doubles(const HostTensor& tensor, int64_t begin, int64_t count, double* out);
// For integer and boolean tensors. Any non-zero byte of a boolean is true.
void load_integers(const HostTensor& tensor, int64_t begin, int64_t count, int64_t* out);

// The same elements in another type: rounded to nearest even, integers exactly where they fit.
HostTensor convert(const HostTensor& from, const TensorSpec& to);

// Distance from 1 to the next number of the type; 2^-23 (fp32's) for types without a fraction.
double epsilon(DataType type);
// `value` as the type would hold it when that is not finite; otherwise `value` itself, unrounded.
double overflow_to_infinity(double value, DataType type);
// Spacing of the type's numbers around `value`.
double unit_in_the_last_place(double value, DataType type);

}  // namespace stitch::verify
