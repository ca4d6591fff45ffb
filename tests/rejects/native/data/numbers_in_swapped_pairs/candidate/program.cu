// SPDX-License-Identifier: Apache-2.0
// Draws anew for every second offset, and swaps neighbours for those between.
#include "own_numbers.h"

__device__ float own_number(uint64_t seed, uint64_t offset, uint64_t element) {
  return number(mixed(seed) + offset / 2, element ^ (offset & 1));
}
