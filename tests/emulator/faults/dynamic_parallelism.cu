// SPDX-License-Identifier: Apache-2.0
// A kernel that launches a kernel.
// expect: refused
// says: {HERE}:
// says: dynamic parallelism is not supported
__global__ void child(int* x) { x[threadIdx.x] = 1; }
__global__ void parent(int* x) {
  if (threadIdx.x == 0) {
    child<<<1, 32>>>(x);  // HERE
  }
}
