// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error/check.h"

namespace stitch::verify {
namespace {

float half_to_float(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 0) {
    return sign * std::ldexp(static_cast<float>(fraction), -24);
  }
  if (exponent == 31) {
    return fraction != 0 ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
  }
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

float bfloat16_to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

// One loop per storage type: memcpy because a mapped file promises no alignment.
template <typename Stored, typename Out, typename Convert>
void load_as(const HostTensor& tensor, int64_t begin, int64_t count, Out* out, Convert convert) {
  const std::byte* source = tensor.bytes().data() + static_cast<size_t>(begin) * sizeof(Stored);
  for (int64_t i = 0; i < count; ++i) {
    Stored stored;
    std::memcpy(&stored, source + static_cast<size_t>(i) * sizeof(Stored), sizeof(Stored));
    out[i] = static_cast<Out>(convert(stored));
  }
}

template <typename Out>
void load(const HostTensor& tensor, int64_t begin, int64_t count, Out* out) {
  const auto same = [](auto value) { return value; };
  switch (tensor.spec().type.dtype) {
    case DataType::kFloat32:
      return load_as<float>(tensor, begin, count, out, same);
    case DataType::kFloat64:
      return load_as<double>(tensor, begin, count, out, same);
    case DataType::kFloat16:
      return load_as<uint16_t>(tensor, begin, count, out, half_to_float);
    case DataType::kBfloat16:
      return load_as<uint16_t>(tensor, begin, count, out, bfloat16_to_float);
    case DataType::kInt64:
      return load_as<int64_t>(tensor, begin, count, out, same);
    case DataType::kInt32:
      return load_as<int32_t>(tensor, begin, count, out, same);
    case DataType::kInt16:
      return load_as<int16_t>(tensor, begin, count, out, same);
    case DataType::kInt8:
      return load_as<int8_t>(tensor, begin, count, out, same);
    case DataType::kUint8:
      return load_as<uint8_t>(tensor, begin, count, out, same);
    case DataType::kBool:  // true is 1: memory that nobody wrote to is hardly ever 0, and must not pass for true
      return load_as<uint8_t>(tensor, begin, count, out, same);
  }
}

struct FloatFormat {
  int fraction_bits;
  int minimum_exponent;  // of the smallest normal number
  int maximum_exponent;
  double overflow;  // half a unit above the largest finite number, from which on numbers round to infinity
};

FloatFormat format_of(DataType type) {
  switch (type) {
    case DataType::kFloat64:
      return {52, -1022, 1023, std::numeric_limits<double>::infinity()};
    case DataType::kFloat16:
      return {10, -14, 15, 0x1.ffep15};
    case DataType::kBfloat16:
      return {7, -126, 127, 0x1.ffp127};
    default:
      return {23, -126, 127, 0x1.ffffffp127};
  }
}

// Bits of a 16-bit format with `fraction_bits` of fraction, rounded to nearest even.
uint16_t to_sixteen_bits(double value, DataType type) {
  const FloatFormat format = format_of(type);
  const int exponent_bits = 15 - format.fraction_bits;
  const unsigned sign = std::signbit(value) ? 0x8000U : 0U;
  const unsigned infinity = ((1U << exponent_bits) - 1U) << format.fraction_bits;
  if (std::isnan(value)) {
    return static_cast<uint16_t>(infinity | 1U);
  }
  if (std::isinf(overflow_to_infinity(value, type))) {
    return static_cast<uint16_t>(sign | infinity);
  }
  const double unit = unit_in_the_last_place(value, type);
  // Counting in units makes the representation a plain integer: a carry out of the fraction raises the exponent.
  const auto units = static_cast<unsigned>(std::nearbyint(std::fabs(value) / unit));
  const double smallest = unit_in_the_last_place(0, type);
  const int stored_exponent = std::ilogb(unit) - std::ilogb(smallest);
  return static_cast<uint16_t>(sign | ((static_cast<unsigned>(stored_exponent) << format.fraction_bits) + units));
}

template <typename Stored>
void store_as(Stored value, std::byte* out) {
  std::memcpy(out, &value, sizeof(value));
}

void store(double number, int64_t integer, DataType type, std::byte* out) {
  switch (type) {
    case DataType::kFloat32:
      return store_as(static_cast<float>(number), out);
    case DataType::kFloat64:
      return store_as(number, out);
    case DataType::kFloat16:
    case DataType::kBfloat16:
      return store_as(to_sixteen_bits(number, type), out);
    case DataType::kInt64:
      return store_as(integer, out);
    case DataType::kInt32:
      return store_as(static_cast<int32_t>(integer), out);
    case DataType::kInt16:
      return store_as(static_cast<int16_t>(integer), out);
    case DataType::kInt8:
      return store_as(static_cast<int8_t>(integer), out);
    case DataType::kUint8:
      return store_as(static_cast<uint8_t>(integer), out);
    case DataType::kBool:
      return store_as(static_cast<uint8_t>(number != 0 ? 1 : 0), out);
  }
}

// Towards zero; a number that no int64 holds becomes the largest or smallest.
int64_t nearest_int64(double number) {
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63
  if (number >= kBeyond) {
    return std::numeric_limits<int64_t>::max();
  }
  return number < -kBeyond ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(number);
}

}  // namespace

void load_doubles(const HostTensor& tensor, int64_t begin, int64_t count, double* out) {
  load(tensor, begin, count, out);
}

void load_integers(const HostTensor& tensor, int64_t begin, int64_t count, int64_t* out) {
  STITCH_CHECK(!is_floating_point(tensor.spec().type.dtype)) << tensor.spec().name << " does not hold integers";
  load(tensor, begin, count, out);
}

HostTensor convert(const HostTensor& from, const TensorSpec& to) {
  const int64_t count = to.type.element_count();
  STITCH_CHECK(from.spec().type.element_count() == count) << to.name << ": another number of elements";
  std::vector<std::byte> bytes(static_cast<size_t>(to.type.bytes()));
  const bool integers = !is_floating_point(from.spec().type.dtype) && !is_floating_point(to.type.dtype);
  for (int64_t i = 0; i < count; ++i) {
    double number = 0;
    int64_t integer = 0;
    load_doubles(from, i, 1, &number);
    if (integers) {
      load_integers(from, i, 1, &integer);
    } else if (std::isfinite(number)) {
      integer = nearest_int64(number);
    }
    store(number, integer, to.type.dtype, bytes.data() + i * element_bytes(to.type.dtype));
  }
  return HostTensor::from_bytes(to, std::move(bytes));
}

double epsilon(DataType type) { return std::ldexp(1.0, -format_of(type).fraction_bits); }

double overflow_to_infinity(double value, DataType type) {
  const double infinity = std::numeric_limits<double>::infinity();
  return std::fabs(value) >= format_of(type).overflow ? std::copysign(infinity, value) : value;
}

double unit_in_the_last_place(double value, DataType type) {
  const FloatFormat format = format_of(type);
  // The exponent read off the representation: std::ilogb and std::ldexp cost more than the whole comparison.
  constexpr int kFractionBits = 52;
  constexpr int kBias = 1023;
  const int stored = static_cast<int>(std::bit_cast<uint64_t>(std::fabs(value)) >> kFractionBits) - kBias;
  const int exponent = std::clamp(stored, format.minimum_exponent, format.maximum_exponent) - format.fraction_bits;
  if (exponent + kBias <= 0) {
    return std::ldexp(1.0, exponent);
  }
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + kBias) << kFractionBits);
}

}  // namespace stitch::verify
