// SPDX-License-Identifier: Apache-2.0
// A kernel whose blocks are launched in clusters.
// expect: refused
// says: {HERE}:
// says: clusters are not supported on the emulated device but by
__global__ void __cluster_dims__(2, 1, 1) kernel(int* x) {  // HERE
  x[blockIdx.x] = 1;
}
