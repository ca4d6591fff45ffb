// SPDX-License-Identifier: Apache-2.0
#include "worker/replay/sample_contents.h"

#include <cstring>

#include "device/bulk_words.h"

namespace stitch::worker {
namespace {

struct FloatForm {
  int fraction_bits = 0;
  uint64_t exponent = 0;  // of values from a quarter up
  int sign_bit = 0;
};

FloatForm form_of(DataType type) {
  switch (type) {
    case DataType::kFloat64:
      return {52, 1021, 63};
    case DataType::kFloat16:
      return {10, 13, 15};
    case DataType::kBfloat16:
      return {7, 125, 15};
    default:
      return {23, 125, 31};
  }
}

// One element: one of two exponents, a drawn fraction.
uint64_t element_of(const FloatForm& form, uint64_t random, bool is_signed) {
  const uint64_t fraction = random & ((uint64_t{1} << form.fraction_bits) - 1);
  const uint64_t exponent = form.exponent + ((random >> 60) & 1);
  const uint64_t sign = is_signed ? (random >> 61) & 1 : 0;
  return (sign << form.sign_bit) | (exponent << form.fraction_bits) | fraction;
}

}  // namespace

std::vector<std::byte> sample_contents(const TensorSpec& spec, uint64_t seed) {
  std::vector<std::byte> contents(static_cast<size_t>(spec.type.bytes()));
  if (!is_floating_point(spec.type.dtype)) {
    return contents;
  }
  const FloatForm form = form_of(spec.type.dtype);
  const auto width = static_cast<size_t>(element_bytes(spec.type.dtype));
  const bool is_signed = spec.role != TensorRole::kParameter;
  for (size_t at = 0; at + width <= contents.size(); at += width) {
    const uint64_t element = element_of(form, device::random_word(seed, at / width), is_signed);
    std::memcpy(contents.data() + at, &element, width);  // x86-64 and arm64: the low bytes come first
  }
  return contents;
}

}  // namespace stitch::worker
