// SPDX-License-Identifier: Apache-2.0
// Integer intrinsics, min and max, and bit casts.
#pragma once

#include "stitch_emulator/language.h"

// min and max live in the global namespace of device code, with the mixed signed and unsigned forms of CUDA's headers.
#define STITCH_MIN_MAX(TYPE, A, B)                                               \
  constexpr TYPE min(A a, B b) { return (TYPE)b < (TYPE)a ? (TYPE)b : (TYPE)a; } \
  constexpr TYPE max(A a, B b) { return (TYPE)a < (TYPE)b ? (TYPE)b : (TYPE)a; }
STITCH_MIN_MAX(int, int, int)
STITCH_MIN_MAX(unsigned int, unsigned int, unsigned int)
STITCH_MIN_MAX(unsigned int, int, unsigned int)
STITCH_MIN_MAX(unsigned int, unsigned int, int)
STITCH_MIN_MAX(long, long, long)
STITCH_MIN_MAX(unsigned long, unsigned long, unsigned long)
STITCH_MIN_MAX(unsigned long, long, unsigned long)
STITCH_MIN_MAX(unsigned long, unsigned long, long)
STITCH_MIN_MAX(long long, long long, long long)
STITCH_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
STITCH_MIN_MAX(unsigned long long, long long, unsigned long long)
STITCH_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef STITCH_MIN_MAX

inline int __popc(unsigned int value) { return __builtin_popcount(value); }
inline int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
inline int __clz(int value) { return value == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(value)); }
inline int __clzll(long long value) {
  return value == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(value));
}
inline int __ffs(int value) { return __builtin_ffs(value); }
inline int __ffsll(long long value) { return __builtin_ffsll(value); }

inline unsigned int __brev(unsigned int value) {
  value = (value >> 1 & 0x55555555u) | (value & 0x55555555u) << 1;
  value = (value >> 2 & 0x33333333u) | (value & 0x33333333u) << 2;
  value = (value >> 4 & 0x0f0f0f0fu) | (value & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(value);
}
inline unsigned long long __brevll(unsigned long long value) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned int>(value))) << 32 |
         __brev(static_cast<unsigned int>(value >> 32));
}

inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  const uint64_t bytes = x | static_cast<uint64_t>(y) << 32;
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned int pick = selector >> (4 * i) & 0xfu;
    unsigned int byte = static_cast<unsigned int>(bytes >> (8 * (pick & 7u))) & 0xffu;
    if (pick & 8u) {  // replicate the sign instead
      byte = byte & 0x80u ? 0xffu : 0u;
    }
    result |= byte << (8 * i);
  }
  return result;
}

inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
inline unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffffu) * (b & 0xffffffu); }
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
inline unsigned int __umulhi(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b >> 32);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
inline int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
inline unsigned int __sad(int a, int b, unsigned int c) { return static_cast<unsigned int>(a < b ? b - a : a - b) + c; }
inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned int>((static_cast<uint64_t>(high) << 32 | low) << (shift & 31u) >> 32);
}
inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned int>((static_cast<uint64_t>(high) << 32 | low) >> (shift & 31u));
}

inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i) {
    c += static_cast<signed char>(a >> (8 * i)) * static_cast<signed char>(b >> (8 * i));
  }
  return c;
}
inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  for (int i = 0; i < 4; ++i) {
    c += (a >> (8 * i) & 0xffu) * (b >> (8 * i) & 0xffu);
  }
  return c;
}

namespace stitch_emulator {
template <class To, class From>
inline To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}
}  // namespace stitch_emulator

inline int __float_as_int(float x) { return stitch_emulator::bit_cast<int>(x); }
inline unsigned int __float_as_uint(float x) { return stitch_emulator::bit_cast<unsigned int>(x); }
inline float __int_as_float(int x) { return stitch_emulator::bit_cast<float>(x); }
inline float __uint_as_float(unsigned int x) { return stitch_emulator::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return stitch_emulator::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return stitch_emulator::bit_cast<double>(x); }
inline int __double2hiint(double x) { return static_cast<int>(stitch_emulator::bit_cast<uint64_t>(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(stitch_emulator::bit_cast<uint64_t>(x)); }
inline double __hiloint2double(int high, int low) {
  return stitch_emulator::bit_cast<double>(static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32 |
                                           static_cast<uint32_t>(low));
}
