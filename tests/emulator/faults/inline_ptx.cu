// SPDX-License-Identifier: Apache-2.0
// Inline PTX.
// expect: refused
// says: {HERE}:
// says: inline PTX is not supported
__global__ void kernel(unsigned int* x) {
  asm volatile("mov.u32 %0, %laneid;" : "=r"(x[threadIdx.x]));  // HERE
}
