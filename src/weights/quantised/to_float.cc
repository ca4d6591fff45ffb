// SPDX-License-Identifier: Apache-2.0
#include "weights/quantised/to_float.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/error/check.h"
#include "weights/quantised/blocks.h"

namespace stitch::weights {
namespace {

using Unpack = void (*)(const uint8_t* in, float* out);

void unpack_half(const uint8_t* in, float* out) { *out = half_to_float(in); }
void unpack_bfloat(const uint8_t* in, float* out) {
  *out = std::bit_cast<float>(static_cast<uint32_t>(in[0]) << 16 | static_cast<uint32_t>(in[1]) << 24);
}
void unpack_double(const uint8_t* in, float* out) {
  double value = 0;
  std::memcpy(&value, in, sizeof value);
  *out = static_cast<float>(value);
}

Unpack unpack_of(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return unpack_half;
    case DType::kBF16:
      return unpack_bfloat;
    case DType::kF64:
      return unpack_double;
    case DType::kQ4_0:
      return unpack_q4_0;
    case DType::kQ4_1:
      return unpack_q4_1;
    case DType::kQ5_0:
      return unpack_q5_0;
    case DType::kQ5_1:
      return unpack_q5_1;
    case DType::kQ8_0:
      return unpack_q8_0;
    case DType::kQ2_K:
      return unpack_q2_k;
    case DType::kQ3_K:
      return unpack_q3_k;
    case DType::kQ4_K:
      return unpack_q4_k;
    case DType::kQ5_K:
      return unpack_q5_k;
    case DType::kQ6_K:
      return unpack_q6_k;
    default:
      return nullptr;
  }
}

}  // namespace

bool has_float_form(DType dtype) { return dtype == DType::kF32 || unpack_of(dtype) != nullptr; }

void to_float(DType dtype, std::span<const std::byte> bytes, std::span<float> out) {
  const auto elements = static_cast<size_t>(block_elements(dtype));
  const auto stride = static_cast<size_t>(block_bytes(dtype));
  STITCH_CHECK(has_float_form(dtype) && out.size() % elements == 0 && bytes.size() == out.size() / elements * stride)
      << "to_float of " << to_string(dtype) << ": " << bytes.size() << " bytes for " << out.size() << " elements";
  if (dtype == DType::kF32) {
    if (!out.empty()) {
      std::memcpy(out.data(), bytes.data(), bytes.size());
    }
    return;
  }
  const Unpack unpack = unpack_of(dtype);
  const auto* in = reinterpret_cast<const uint8_t*>(bytes.data());
  for (size_t at = 0; at < out.size(); at += elements, in += stride) {
    unpack(in, out.data() + at);
  }
}

}  // namespace stitch::weights
