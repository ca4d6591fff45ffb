// SPDX-License-Identifier: Apache-2.0
// Global memory: 1024 threads, 32 warps, of 256 in a block.
#include "counts.h"

constexpr int kThreads = 256;
constexpr int kCount = 1024;
constexpr int kEdge = 32;

__device__ int number() { return blockIdx.x * blockDim.x + threadIdx.x; }

// counts: copy bytes_read=4096 bytes_written=4096 requests_read=32 requests_written=32
// counts: copy sectors_read=128 sectors_written=128 wavefronts=0 atomics=0
__global__ void copy(const float* from, float* to) { to[number()] = from[number()]; }

// counts: copy_four bytes_read=16384 bytes_written=16384 requests_read=32 sectors_read=512 sectors_written=512
__global__ void copy_four(const float4* from, float4* to) { to[number()] = from[number()]; }

// Every second word: twice the sectors of what is read.
// counts: copy_every_second bytes_read=4096 sectors_read=256 sectors_written=128
__global__ void copy_every_second(const float* from, float* to) { to[number()] = from[2 * number()]; }

// counts: copy_shifted sectors_read=160 sectors_written=128 bytes_read=4096
__global__ void copy_shifted(const float* from, float* to) { to[number()] = from[number() + 1]; }

// A square of 32 x 32: rows are read, columns are written.
// counts: transpose bytes_read=4096 bytes_written=4096 sectors_read=128 sectors_written=1024
__global__ void transpose(const float* from, float* to) {
  const int row = number() / kEdge;
  const int column = number() % kEdge;
  to[column * kEdge + row] = from[number()];
}

// counts: broadcast bytes_read=4 requests_read=32 sectors_read=32 sectors_written=128
__global__ void broadcast(const float* from, float* to) { to[number()] = from[0]; }

// Read twice, counted once a launch; sectors are counted each time.
// counts: read_twice bytes_read=4096 sectors_read=256 sectors_written=128
__global__ void read_twice(const float* from, float* to) {
  const volatile float* again = from;
  to[number()] = again[number()] + again[number()];
}

// Each thread takes 8 words that lie together: one request each time, of 32 sectors.
// counts: rows_of_eight requests_read=256 sectors_read=8192 bytes_read=32768 sectors_written=128
__global__ void rows_of_eight(const float* from, float* to) {
  float sum = 0;
  for (int i = 0; i < 8; ++i) {
    sum += from[8 * number() + i];
  }
  to[number()] = sum;
}

// Half of the lanes are not there.
// counts: even_lanes requests_read=32 requests_written=32 sectors_read=128 bytes_read=2048 bytes_written=2048
__global__ void even_lanes(const float* from, float* to) {
  if (number() % 2 == 0) {
    to[number()] = from[number()];
  }
}

// Lanes take different numbers of turns, lane l takes l + 1: in each turn a lane fewer, of 32 words down to one.
// counts: triangle requests_read=1024 bytes_read=4096 sectors_read=2560
__global__ void triangle(const float* from, float* to) {
  float sum = 0;
  const int lane = threadIdx.x % 32;
  for (int i = 0; i <= lane; ++i) {
    sum += from[number() / 32 * 32 + lane - i];
  }
  to[number()] = sum;
}

// counts: bytes bytes_read=1024 sectors_read=32 bytes_written=1024 sectors_written=32
__global__ void bytes(const char* from, char* to) { to[number()] = from[number()]; }

// counts: atomics atomics=1024 atomic_sectors=256 bytes_read=4096 bytes_written=4096
__global__ void atomics(float* sums) { atomicAdd(&sums[number()], 1.0F); }

// counts: atomics_on_one atomics=1024 atomic_sectors=1024 bytes_written=4
__global__ void atomics_on_one(float* sums) { atomicAdd(sums, 1.0F); }

int main() {
  float* from = device_memory<float>(8 * kCount + 1);
  float* to = device_memory<float>(8 * kCount);
  copy<<<kCount / kThreads, kThreads>>>(from, to);
  copy_four<<<kCount / kThreads, kThreads>>>(reinterpret_cast<float4*>(from), reinterpret_cast<float4*>(to));
  copy_every_second<<<kCount / kThreads, kThreads>>>(from, to);
  copy_shifted<<<kCount / kThreads, kThreads>>>(from, to);
  transpose<<<kCount / kThreads, kThreads>>>(from, to);
  broadcast<<<kCount / kThreads, kThreads>>>(from, to);
  read_twice<<<kCount / kThreads, kThreads>>>(from, to);
  rows_of_eight<<<kCount / kThreads, kThreads>>>(from, to);
  even_lanes<<<kCount / kThreads, kThreads>>>(from, to);
  triangle<<<kCount / kThreads, kThreads>>>(from, to);
  bytes<<<kCount / kThreads, kThreads>>>(reinterpret_cast<char*>(from), reinterpret_cast<char*>(to));
  atomics<<<kCount / kThreads, kThreads>>>(to);
  atomics_on_one<<<kCount / kThreads, kThreads>>>(to);
  return print_counts();
}
