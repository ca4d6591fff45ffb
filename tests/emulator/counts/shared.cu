// SPDX-License-Identifier: Apache-2.0
// Shared memory and tensor cores: one warp, which writes once and reads once unless something else is said.
#include <cuda_fp16.h>
#include <mma.h>

#include "counts.h"

constexpr int kWords = 4096;

template <int kStride>
__device__ void strided(float* to) {
  __shared__ float words[kWords];
  const int lane = threadIdx.x;
  words[lane * kStride] = static_cast<float>(lane);
  __syncwarp();
  to[lane] = words[lane * kStride];
}

// counts: straight shared_requests=2 wavefronts=2 sectors_written=4 bytes_read=0
__global__ void straight(float* to) { strided<1>(to); }
// counts: two_way wavefronts=4
__global__ void two_way(float* to) { strided<2>(to); }
// counts: padded wavefronts=2
__global__ void padded(float* to) { strided<33>(to); }
// counts: all_in_one_bank wavefronts=64
__global__ void all_in_one_bank(float* to) { strided<32>(to); }

// counts: one_for_all shared_requests=2 wavefronts=2
__global__ void one_for_all(float* to) {
  __shared__ float words[32];
  words[threadIdx.x] = static_cast<float>(threadIdx.x);
  __syncwarp();
  to[threadIdx.x] = words[7];
}

// 512 bytes written and read: four times 128.
// counts: vectors_of_four shared_requests=2 wavefronts=8
__global__ void vectors_of_four(float4* to) {
  __shared__ float4 vectors[32];
  vectors[threadIdx.x] = make_float4(1, 2, 3, 4);
  __syncwarp();
  to[threadIdx.x] = vectors[threadIdx.x];
}

// counts: vectors_of_two shared_requests=2 wavefronts=4
__global__ void vectors_of_two(float2* to) {
  __shared__ float2 vectors[32];
  vectors[threadIdx.x] = make_float2(1, 2);
  __syncwarp();
  to[threadIdx.x] = vectors[threadIdx.x];
}

// 32 additions to one word take turns.
// counts: sum_in_one shared_atomics=32 wavefronts=34 atomics=0
__global__ void sum_in_one(float* to) {
  __shared__ float sum;
  if (threadIdx.x == 0) {
    sum = 0;
  }
  __syncwarp();
  atomicAdd(&sum, 1.0F);
  __syncwarp();
  to[threadIdx.x] = sum;
}

// counts: dynamic wavefronts=2
__global__ void dynamic(float* to) {
  extern __shared__ float words[];
  words[threadIdx.x] = static_cast<float>(threadIdx.x);
  __syncwarp();
  to[threadIdx.x] = words[31 - threadIdx.x];
}

// What lanes exchange is no access.
// counts: shuffled wavefronts=0 shared_requests=0 sectors_written=4
__global__ void shuffled(float* to) {
  to[threadIdx.x] = __shfl_xor_sync(0xffffffffU, static_cast<float>(threadIdx.x), 1);
}

// 16 x 16 x 16, from and to global memory.
// counts: product half_flops=8192 tf32_flops=0 bytes_read=1024 bytes_written=1024 sectors_read=32 sectors_written=64
__global__ void product(const half* left, const half* right, float* to) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::load_matrix_sync(a, left, 16);
  wmma::load_matrix_sync(b, right, 16);
  wmma::fill_fragment(sum, 0.0F);
  wmma::mma_sync(sum, a, b, sum);
  wmma::store_matrix_sync(to, sum, 16, wmma::mem_row_major);
}

int main() {
  float* to = device_memory<float>(kWords);
  half* left = device_memory<half>(256);
  half* right = device_memory<half>(256);
  straight<<<1, 32>>>(to);
  two_way<<<1, 32>>>(to);
  padded<<<1, 32>>>(to);
  all_in_one_bank<<<1, 32>>>(to);
  one_for_all<<<1, 32>>>(to);
  vectors_of_four<<<1, 32>>>(reinterpret_cast<float4*>(to));
  vectors_of_two<<<1, 32>>>(reinterpret_cast<float2*>(to));
  sum_in_one<<<1, 32>>>(to);
  dynamic<<<1, 32, 32 * sizeof(float)>>>(to);
  shuffled<<<1, 32>>>(to);
  product<<<1, 32>>>(left, right, to);
  return print_counts();
}
