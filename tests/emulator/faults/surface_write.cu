// SPDX-License-Identifier: Apache-2.0
// Surface writes.
// expect: refused
// says: {HERE}:
// says: textures and surfaces are not supported
__global__ void kernel(unsigned long long surface) {
  surf2Dwrite(1.0f, surface, threadIdx.x * 4, 0);  // HERE
}
