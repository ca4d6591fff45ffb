// SPDX-License-Identifier: Apache-2.0
// Draws half of its numbers, and takes one minus each of them for the other half.
#include "own_numbers.h"

__device__ float own_number(uint64_t seed, uint64_t offset, uint64_t element) {
  const bool is_second = element >= kElements / 2;
  const float drawn = number(mixed(seed) + offset, is_second ? element - kElements / 2 : element);
  return is_second ? 1.0f - drawn : drawn;
}
