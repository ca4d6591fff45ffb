// SPDX-License-Identifier: Apache-2.0
// Takes the seed for a place in one long stream.
#include "own_numbers.h"

__device__ float own_number(uint64_t seed, uint64_t offset, uint64_t element) {
  return number(offset, element + seed);
}
