// SPDX-License-Identifier: Apache-2.0
// Texture objects.
// expect: refused
// says: {HERE}:
// says: textures and surfaces are not supported
__global__ void kernel(cudaTextureObject_t image, float* out) {  // HERE
  out[threadIdx.x] = tex1Dfetch<float>(image, threadIdx.x);
}
