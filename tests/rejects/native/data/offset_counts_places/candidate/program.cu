// SPDX-License-Identifier: Apache-2.0
// Takes the offset for a place in one long stream, so that the next call draws the same numbers one place on.
#include "own_numbers.h"

__device__ float own_number(uint64_t seed, uint64_t offset, uint64_t element) {
  return number(seed, element + offset);
}
