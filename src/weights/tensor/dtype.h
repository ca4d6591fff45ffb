// SPDX-License-Identifier: Apache-2.0
// What the elements of a stored tensor are: the types of safetensors, and the blocks that llama.cpp quantises to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error/result.h"

namespace stitch::weights {

// In the order of safetensors' own writer, which stores the later ones first.
enum class DType {
  kBool,
  kU8,
  kI8,
  kF8E5M2,
  kF8E4M3,
  kI16,
  kU16,
  kF16,
  kBF16,
  kI32,
  kU32,
  kF32,
  kC64,
  kF64,
  kI64,
  kU64,
  // Of GGUF alone: blocks of 32 or 256 elements along the last axis.
  kQ4_0,
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ8_0,
  kQ2_K,
  kQ3_K,
  kQ4_K,
  kQ5_K,
  kQ6_K,
};

// "F32", "BF16", "Q4_K": as safetensors and llama.cpp write them.
std::string_view to_string(DType dtype);
// One of the types of safetensors, by its name there.
std::optional<DType> safetensors_dtype(std::string_view name);

bool is_quantised(DType dtype);
// Elements that are stored together, 1 where there are no blocks; and the bytes of such a block.
int64_t block_elements(DType dtype);
int64_t block_bytes(DType dtype);

// How many elements and bytes a tensor takes. kFileInvalid where a size is negative, does not fit 63 bits, or where the
// last axis is no whole number of blocks.
Result<int64_t> element_count(std::span<const int64_t> shape);
Result<int64_t> byte_count(DType dtype, std::span<const int64_t> shape);

}  // namespace stitch::weights
