// SPDX-License-Identifier: Apache-2.0
// Minds the lower half of the seed alone.
#include "own_numbers.h"

__device__ float own_number(uint64_t seed, uint64_t offset, uint64_t element) {
  return number(mixed(seed & 0xffffffffULL) + offset * 0x9e3779b97f4a7c15ULL, element);
}
