// SPDX-License-Identifier: Apache-2.0
// A cooperative launch.
// expect: refused
// says: {HERE}:
// says: grid-wide synchronisation is not supported
__global__ void kernel(int* x) { *x = 1; }
int main() {
  void* arguments[1] = {};
  return cudaLaunchCooperativeKernel((void*)kernel, 1, 1, arguments);  // HERE
}
