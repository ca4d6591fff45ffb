// SPDX-License-Identifier: Apache-2.0
// A shared variable outside any function.
// expect: refused
// says: {HERE}:
// says: declare it in the kernel
__shared__ float tile[32];  // HERE

__global__ void kernel(float* x) { tile[threadIdx.x] = *x; }
