// SPDX-License-Identifier: Apache-2.0
#include "weights/quantised/blocks.h"

#include <bit>
#include <cstring>

namespace stitch::weights {
namespace {

// Bit `number` of a mask that lies in bytes, the lowest first, moved to `place`.
int bit_at(const uint8_t* mask, int number, int place) { return ((mask[number / 8] >> (number % 8)) & 1) << place; }

struct ScaleAndMin {
  int scale = 0;
  int min = 0;
};

// Of the eight pairs of 6 bits in the 12 bytes of Q4_K and Q5_K (get_scale_min_k4).
ScaleAndMin scale_and_min(const uint8_t* packed, int number) {
  if (number < 4) {
    return {packed[number] & 63, packed[number + 4] & 63};
  }
  const uint8_t both = packed[number + 4];
  return {(both & 15) | ((packed[number - 4] >> 6) << 4), (both >> 4) | ((packed[number] >> 6) << 4)};
}

// The sixteen 6-bit scales of Q3_K, whose upper two bits lie four to a byte in the last four of the 12.
int q3_scale(const uint8_t* packed, int number) {
  const int low = number < 8 ? packed[number] & 15 : packed[number - 8] >> 4;
  const int high = (packed[8 + number % 4] >> (2 * (number / 4))) & 3;
  return (low | (high << 4)) - 32;
}

}  // namespace

float half_to_float(const uint8_t* in) {
  uint16_t half = 0;
  std::memcpy(&half, in, sizeof half);
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = (half >> 10) & 31;
  uint32_t mantissa = half & 0x3ff;
  if (exponent == 31) {
    return std::bit_cast<float>(sign | 0x7f800000U | (mantissa << 13));
  }
  if (exponent != 0) {
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  }
  const float subnormal = static_cast<float>(mantissa) * 0x1p-24F;  // exact
  return sign != 0 ? -subnormal : subnormal;
}

void unpack_q4_0(const uint8_t* in, float* out) {
  const float scale = half_to_float(in);
  for (int i = 0; i < 16; ++i) {
    out[i] = static_cast<float>((in[2 + i] & 15) - 8) * scale;
    out[i + 16] = static_cast<float>((in[2 + i] >> 4) - 8) * scale;
  }
}

void unpack_q4_1(const uint8_t* in, float* out) {
  const float scale = half_to_float(in);
  const float min = half_to_float(in + 2);
  for (int i = 0; i < 16; ++i) {
    out[i] = static_cast<float>(in[4 + i] & 15) * scale + min;
    out[i + 16] = static_cast<float>(in[4 + i] >> 4) * scale + min;
  }
}

void unpack_q5_0(const uint8_t* in, float* out) {
  const float scale = half_to_float(in);
  for (int i = 0; i < 16; ++i) {
    out[i] = static_cast<float>(((in[6 + i] & 15) | bit_at(in + 2, i, 4)) - 16) * scale;
    out[i + 16] = static_cast<float>(((in[6 + i] >> 4) | bit_at(in + 2, i + 16, 4)) - 16) * scale;
  }
}

void unpack_q5_1(const uint8_t* in, float* out) {
  const float scale = half_to_float(in);
  const float min = half_to_float(in + 2);
  for (int i = 0; i < 16; ++i) {
    out[i] = static_cast<float>((in[8 + i] & 15) | bit_at(in + 4, i, 4)) * scale + min;
    out[i + 16] = static_cast<float>((in[8 + i] >> 4) | bit_at(in + 4, i + 16, 4)) * scale + min;
  }
}

void unpack_q8_0(const uint8_t* in, float* out) {
  const float scale = half_to_float(in);
  for (int i = 0; i < 32; ++i) {
    out[i] = static_cast<float>(static_cast<int8_t>(in[2 + i])) * scale;
  }
}

// Sixteen pairs of 4 bits, 64 bytes of 2-bit numbers, the two scales of the pairs.
void unpack_q2_k(const uint8_t* in, float* out) {
  const uint8_t* const numbers = in + 16;
  const float scale = half_to_float(in + 80);
  const float min = half_to_float(in + 82);
  for (int i = 0; i < 256; ++i) {
    const uint8_t pair = in[i / 16];
    const int number = (numbers[i / 128 * 32 + i % 32] >> (2 * (i % 128 / 32))) & 3;
    out[i] = scale * static_cast<float>(pair & 15) * static_cast<float>(number) - min * static_cast<float>(pair >> 4);
  }
}

// A mask of 32 bytes (the third bit, inverted), 64 bytes of 2-bit numbers, 12 of scales, the scale of these.
void unpack_q3_k(const uint8_t* in, float* out) {
  const uint8_t* const numbers = in + 32;
  const float scale = half_to_float(in + 108);
  for (int i = 0; i < 256; ++i) {
    const int low = (numbers[i / 128 * 32 + i % 32] >> (2 * (i % 128 / 32))) & 3;
    const int high = (in[i % 32] >> (i / 32)) & 1;
    const float part = scale * static_cast<float>(q3_scale(in + 96, i / 16));
    out[i] = part * static_cast<float>(low - (high != 0 ? 0 : 4));
  }
}

// Two scales, then 12 bytes of 6-bit pairs, a scale and a minimum for each part of 32: of number(part, i).
template <typename Number>
void unpack_parts(const uint8_t* in, float* out, const Number& number) {
  const float scale = half_to_float(in);
  const float min = half_to_float(in + 2);
  for (int part = 0; part < 8; ++part) {
    const ScaleAndMin pair = scale_and_min(in + 4, part);
    const float part_scale = scale * static_cast<float>(pair.scale);
    const float part_min = min * static_cast<float>(pair.min);
    for (int i = 0; i < 32; ++i) {
      out[part * 32 + i] = part_scale * static_cast<float>(number(part, i)) - part_min;
    }
  }
}

// 128 bytes of 4-bit numbers behind the scales.
void unpack_q4_k(const uint8_t* in, float* out) {
  unpack_parts(in, out, [&](int part, int i) { return (in[16 + part / 2 * 32 + i] >> (4 * (part % 2))) & 15; });
}

// As Q4_K, with 32 bytes of fifth bits before the numbers.
void unpack_q5_k(const uint8_t* in, float* out) {
  unpack_parts(in, out, [&](int part, int i) {
    const int low = (in[48 + part / 2 * 32 + i] >> (4 * (part % 2))) & 15;
    const int high = (in[16 + i] >> part) & 1;
    return low | (high << 4);
  });
}

// 128 bytes of lower 4 bits, 64 of upper 2, sixteen scales of 8 bits, the scale of these.
void unpack_q6_k(const uint8_t* in, float* out) {
  const float scale = half_to_float(in + 208);
  for (int i = 0; i < 256; ++i) {
    const int half = i / 128;
    const int quarter = i % 128 / 32;
    const int low = (in[half * 64 + quarter % 2 * 32 + i % 32] >> (4 * (quarter / 2))) & 15;
    const int high = (in[128 + half * 32 + i % 32] >> (2 * quarter)) & 3;
    const float part = scale * static_cast<float>(static_cast<int8_t>(in[192 + i / 16]));
    out[i] = part * static_cast<float>((low | (high << 4)) - 32);
  }
}

}  // namespace stitch::weights
