// SPDX-License-Identifier: Apache-2.0
// Stored elements as 32-bit floats, llama.cpp's quantised blocks among them: bit for bit what its dequantize_row_* give
// (ggml-quants.c), which is one multiplication, or one and an addition, in fp32 for each element.
#pragma once

#include <cstddef>
#include <span>

#include "weights/tensor/dtype.h"

namespace stitch::weights {

// Whether to_float() takes it: floating-point types of 16 bits and more, and all quantised ones.
bool has_float_form(DType dtype);

// `bytes` are whole blocks, `out` has just as many elements as they hold. F64 is rounded to nearest.
void to_float(DType dtype, std::span<const std::byte> bytes, std::span<float> out);

}  // namespace stitch::weights
