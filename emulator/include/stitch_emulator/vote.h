// SPDX-License-Identifier: Apache-2.0
// Votes, matches and warp reductions.
#pragma once

#include "stitch_emulator/collective.h"

namespace stitch_emulator {

inline void give_all(WarpExchange& exchange, uint64_t value) {
  for (int lane = 0; lane < 32; ++lane) {
    exchange.out[lane] = value;
  }
}

inline void combine_ballot(WarpExchange& exchange, uint32_t lanes) {
  uint32_t ballot = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    ballot |= static_cast<uint32_t>((lanes >> lane & 1u) && exchange.in[lane] != 0) << lane;
  }
  give_all(exchange, ballot | static_cast<uint64_t>(lanes) << 32);
}

inline void combine_match(WarpExchange& exchange, uint32_t lanes) {
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t same = 0;
    for (uint32_t other = 0; other < 32; ++other) {
      same |= static_cast<uint32_t>((lanes >> other & 1u) && exchange.in[other] == exchange.in[lane]) << other;
    }
    exchange.out[lane] = same | static_cast<uint64_t>(lanes) << 32;
  }
}

template <class T, class Reduce>
inline void combine_reduce(WarpExchange& exchange, uint32_t lanes) {
  T total{};
  bool first = true;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (lanes >> lane & 1u) {
      const T value = static_cast<T>(exchange.in[lane]);
      total = first ? value : Reduce::apply(total, value);
      first = false;
    }
  }
  give_all(exchange, static_cast<uint64_t>(static_cast<uint32_t>(total)));
}

struct ReduceAdd {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
  }
};
struct ReduceMin {
  template <class T>
  static T apply(T a, T b) {
    return b < a ? b : a;
  }
};
struct ReduceMax {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? b : a;
  }
};
struct ReduceAnd {
  template <class T>
  static T apply(T a, T b) {
    return a & b;
  }
};
struct ReduceOr {
  template <class T>
  static T apply(T a, T b) {
    return a | b;
  }
};
struct ReduceXor {
  template <class T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};

// Low half: who said yes. High half: who took part.
inline uint64_t vote(unsigned int mask, int predicate, const char* name, const char* file, int line) {
  return stitch_warp_exchange(combine_ballot, mask, predicate != 0, 0, name, file, line);
}

template <class T>
inline uint64_t match(unsigned int mask, T value, const char* name, const char* file, int line) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a match compares four or eight bytes");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  return stitch_warp_exchange(combine_match, mask, bits, 0, name, file, line);
}

template <class Reduce, class T>
inline T reduce(unsigned int mask, T value, const char* name, const char* file, int line) {
  return static_cast<T>(
      stitch_warp_exchange(combine_reduce<T, Reduce>, mask, static_cast<uint32_t>(value), 0, name, file, line));
}

}  // namespace stitch_emulator

inline unsigned int __ballot_sync(unsigned int mask, int predicate, STITCH_PLACE) {
  return static_cast<unsigned int>(stitch_emulator::vote(mask, predicate, "__ballot_sync", STITCH_PLACE_ARGUMENTS));
}
inline int __any_sync(unsigned int mask, int predicate, STITCH_PLACE) {
  return static_cast<uint32_t>(stitch_emulator::vote(mask, predicate, "__any_sync", STITCH_PLACE_ARGUMENTS)) != 0;
}
inline int __all_sync(unsigned int mask, int predicate, STITCH_PLACE) {
  const uint64_t votes = stitch_emulator::vote(mask, predicate, "__all_sync", STITCH_PLACE_ARGUMENTS);
  return static_cast<uint32_t>(votes) == static_cast<uint32_t>(votes >> 32);
}
inline int __uni_sync(unsigned int mask, int predicate, STITCH_PLACE) {
  const uint64_t votes = stitch_emulator::vote(mask, predicate, "__uni_sync", STITCH_PLACE_ARGUMENTS);
  return static_cast<uint32_t>(votes) == 0 || static_cast<uint32_t>(votes) == static_cast<uint32_t>(votes >> 32);
}
template <class T>
inline unsigned int __match_any_sync(unsigned int mask, T value, STITCH_PLACE) {
  return static_cast<unsigned int>(stitch_emulator::match(mask, value, "__match_any_sync", STITCH_PLACE_ARGUMENTS));
}
template <class T>
inline unsigned int __match_all_sync(unsigned int mask, T value, int* all_equal, STITCH_PLACE) {
  const uint64_t found = stitch_emulator::match(mask, value, "__match_all_sync", STITCH_PLACE_ARGUMENTS);
  *all_equal = static_cast<uint32_t>(found) == static_cast<uint32_t>(found >> 32);
  return *all_equal ? static_cast<unsigned int>(found) : 0u;
}

#define STITCH_WARP_REDUCE(NAME, REDUCE, TYPE)                                                           \
  inline TYPE NAME(unsigned int mask, TYPE value, STITCH_PLACE) {                                        \
    return stitch_emulator::reduce<stitch_emulator::REDUCE>(mask, value, #NAME, STITCH_PLACE_ARGUMENTS); \
  }
STITCH_WARP_REDUCE(__reduce_add_sync, ReduceAdd, int)
STITCH_WARP_REDUCE(__reduce_add_sync, ReduceAdd, unsigned int)
STITCH_WARP_REDUCE(__reduce_min_sync, ReduceMin, int)
STITCH_WARP_REDUCE(__reduce_min_sync, ReduceMin, unsigned int)
STITCH_WARP_REDUCE(__reduce_max_sync, ReduceMax, int)
STITCH_WARP_REDUCE(__reduce_max_sync, ReduceMax, unsigned int)
STITCH_WARP_REDUCE(__reduce_and_sync, ReduceAnd, unsigned int)
STITCH_WARP_REDUCE(__reduce_or_sync, ReduceOr, unsigned int)
STITCH_WARP_REDUCE(__reduce_xor_sync, ReduceXor, unsigned int)
#undef STITCH_WARP_REDUCE
