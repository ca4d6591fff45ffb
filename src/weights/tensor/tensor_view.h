// SPDX-License-Identifier: Apache-2.0
// A tensor that lies somewhere else: in a mapped file, or in a caller's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weights/tensor/dtype.h"

namespace stitch::weights {

struct TensorView {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;        // the last axis is the innermost, also of tensors from GGUF
  std::span<const std::byte> bytes;  // little-endian, without gaps; lives as long as what it was taken from
};

}  // namespace stitch::weights
