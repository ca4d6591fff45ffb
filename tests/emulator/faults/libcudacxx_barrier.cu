// SPDX-License-Identifier: Apache-2.0
// libcu++ barriers.
// expect: refused
// says: {HERE}:
// says: cuda/ headers are not supported
#include <cuda/barrier>  // HERE

__global__ void kernel(int* x) { *x = 1; }
