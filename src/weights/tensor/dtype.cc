// SPDX-License-Identifier: Apache-2.0
#include "weights/tensor/dtype.h"

#include <fmt/format.h>

#include <array>

namespace stitch::weights {
namespace {

struct DTypeRow {
  std::string_view name;
  int64_t elements = 1;
  int64_t bytes = 0;
};

constexpr int64_t kBlock = 32;        // elements of the first generation's blocks (ggml's QK4_0 ...)
constexpr int64_t kSuperBlock = 256;  // of the "K" ones (QK_K)

// In the order of DType. Bytes of a block are the sizes of ggml's structures (ggml-common.h).
constexpr std::array kDTypes = std::to_array<DTypeRow>({
    {"BOOL", 1, 1},
    {"U8", 1, 1},
    {"I8", 1, 1},
    {"F8_E5M2", 1, 1},
    {"F8_E4M3", 1, 1},
    {"I16", 1, 2},
    {"U16", 1, 2},
    {"F16", 1, 2},
    {"BF16", 1, 2},
    {"I32", 1, 4},
    {"U32", 1, 4},
    {"F32", 1, 4},
    {"C64", 1, 8},
    {"F64", 1, 8},
    {"I64", 1, 8},
    {"U64", 1, 8},
    {"Q4_0", kBlock, 18},
    {"Q4_1", kBlock, 20},
    {"Q5_0", kBlock, 22},
    {"Q5_1", kBlock, 24},
    {"Q8_0", kBlock, 34},
    {"Q2_K", kSuperBlock, 84},
    {"Q3_K", kSuperBlock, 110},
    {"Q4_K", kSuperBlock, 144},
    {"Q5_K", kSuperBlock, 176},
    {"Q6_K", kSuperBlock, 210},
});
static_assert(kDTypes.size() == static_cast<size_t>(DType::kQ6_K) + 1);

const DTypeRow& row(DType dtype) { return kDTypes[static_cast<size_t>(dtype)]; }

}  // namespace

std::string_view to_string(DType dtype) { return row(dtype).name; }

std::optional<DType> safetensors_dtype(std::string_view name) {
  for (size_t i = 0; i <= static_cast<size_t>(DType::kU64); ++i) {
    if (kDTypes[i].name == name) {
      return static_cast<DType>(i);
    }
  }
  return std::nullopt;
}

bool is_quantised(DType dtype) { return row(dtype).elements > 1; }
int64_t block_elements(DType dtype) { return row(dtype).elements; }
int64_t block_bytes(DType dtype) { return row(dtype).bytes; }

Result<int64_t> element_count(std::span<const int64_t> shape) {
  int64_t count = 1;
  for (const int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) {
      return failure(ErrorCode::kFileInvalid, "the shape has more elements than a file can hold");
    }
  }
  return count;
}

Result<int64_t> byte_count(DType dtype, std::span<const int64_t> shape) {
  STITCH_ASSIGN(const int64_t elements, element_count(shape));
  const int64_t last = shape.empty() ? 1 : shape.back();
  if (last % block_elements(dtype) != 0) {
    return failure(ErrorCode::kFileInvalid, fmt::format("{} stores {} elements together, and the last axis has {}",
                                                        to_string(dtype), block_elements(dtype), last));
  }
  int64_t bytes = 0;
  if (__builtin_mul_overflow(elements / block_elements(dtype), block_bytes(dtype), &bytes)) {
    return failure(ErrorCode::kFileInvalid, "the tensor has more bytes than a file can hold");
  }
  return bytes;
}

}  // namespace stitch::weights
