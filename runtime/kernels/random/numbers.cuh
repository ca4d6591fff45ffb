// SPDX-License-Identifier: Apache-2.0
// The numbers of one random operator of a program: drawn by (seed, offset) of the call, or handed in by the caller.
#pragma once

#include "kernels/random/philox.cuh"

namespace stitch {

// Counter: place / 4, the operator's own stream beside it, the call's offset above. So no two operators, calls or
// places share a word.
struct RandomNumbers {
  const float* given;  // in place of drawn ones, or null
  uint64_t seed;
  uint64_t offset;
  uint32_t stream;

  // Uniform in [0, 1), a multiple of 2^-24.
  __device__ float uniform(int64_t place) const {
    return given != nullptr ? given[place] : unit_interval(block(place).word[place & 3]);
  }

  // Standard normal, by Box and Muller from the pair of words that two neighbours share.
  __device__ float normal(int64_t place) const {
    if (given != nullptr) {
      return given[place];
    }
    const PhiloxBlock words = block(place);
    const bool is_second_pair = (place & 2) != 0;
    // In (0, 1], since the logarithm of 0 is not finite.
    const float radius_word = 1.0f - unit_interval(is_second_pair ? words.word[2] : words.word[0]);
    const float half_turns = 2.0f * unit_interval(is_second_pair ? words.word[3] : words.word[1]);
    const float radius = sqrtf(-2.0f * logf(radius_word));
    return radius * ((place & 1) == 0 ? cospif(half_turns) : sinpif(half_turns));
  }

 private:
  __device__ static float unit_interval(uint32_t word) {
    constexpr float kStep = 1.0f / (1 << 24);
    return static_cast<float>(word >> 8) * kStep;
  }

  __device__ PhiloxBlock block(int64_t place) const {
    constexpr int kStreamShift = 16;  // streams above, the high part of a place below
    const auto index = static_cast<uint64_t>(place) >> 2;
    const uint32_t high = static_cast<uint32_t>(index >> 32) | (stream << kStreamShift);
    return philox(
        {{static_cast<uint32_t>(index), high, static_cast<uint32_t>(offset), static_cast<uint32_t>(offset >> 32)}},
        seed);
  }
};

}  // namespace stitch
