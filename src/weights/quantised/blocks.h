// SPDX-License-Identifier: Apache-2.0
// One quantised block at a time. Layouts are those of ggml-common.h: `in` is the block's first byte, `out` has room for
// its 32 or 256 elements.
#pragma once

#include <cstdint>

namespace stitch::weights {

float half_to_float(const uint8_t* in);  // little-endian

void unpack_q4_0(const uint8_t* in, float* out);
void unpack_q4_1(const uint8_t* in, float* out);
void unpack_q5_0(const uint8_t* in, float* out);
void unpack_q5_1(const uint8_t* in, float* out);
void unpack_q8_0(const uint8_t* in, float* out);
void unpack_q2_k(const uint8_t* in, float* out);
void unpack_q3_k(const uint8_t* in, float* out);
void unpack_q4_k(const uint8_t* in, float* out);
void unpack_q5_k(const uint8_t* in, float* out);
void unpack_q6_k(const uint8_t* in, float* out);

}  // namespace stitch::weights
