// SPDX-License-Identifier: Apache-2.0
// Elements of the libraries' matrices: stored as float or in 16 bits, computed with as float.
#pragma once

#include <library_types.h>

#include <cstdint>

namespace stitch_emulator {

float load_element(const void* data, cudaDataType type, int64_t place);
void store_element(void* data, cudaDataType type, int64_t place, float value);

// To the nearest of 10 bits of fraction, ties away from zero.
float rounded_to_tf32(float value);

}  // namespace stitch_emulator
