// SPDX-License-Identifier: Apache-2.0
// Grid-wide synchronisation.
// expect: refused
// says: {HERE}:
// says: grid-wide synchronisation is not supported
#include <cooperative_groups.h>

__global__ void kernel(int* x) {
  cooperative_groups::this_grid().sync();  // HERE
}
