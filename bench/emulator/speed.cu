// SPDX-License-Identifier: Apache-2.0
// How fast the emulated device runs on one core, in CPU time: barrier crossings, a GEMM tiled through shared memory,
// and a row reduction with shuffles. Prints one figure a line and says whether it meets its goal.
#include <time.h>

#include <cstdio>
#include <cstdlib>

namespace {

double seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The best of several runs: what the machine can do when nothing else disturbs it.
template <class Run>
double best_seconds(int repeats, Run run) {
  double best = 1e30;
  for (int i = 0; i < repeats; ++i) {
    const double start = seconds();
    run();
    const double taken = seconds() - start;
    best = taken < best ? taken : best;
  }
  return best;
}

__global__ void cross_barriers(int crossings, int* out) {
  int count = 0;
  for (int i = 0; i < crossings; ++i) {
    __syncthreads();
    ++count;
  }
  out[threadIdx.x] = count;
}

constexpr int kTile = 16;

// One output a thread: the classic exercise, with two barriers for every 16 steps of k.
__global__ void gemm_simple(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[kTile][kTile];
  __shared__ float b_tile[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    a_tile[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    b_tile[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// A 4x4 register tile a thread, as real kernels have it.
__global__ void gemm_register_tile(const float* a, const float* b, float* c, int n) {
  constexpr int kBlock = 64, kDepth = 16, kEach = 4;
  __shared__ float a_tile[kDepth][kBlock];
  __shared__ float b_tile[kDepth][kBlock];
  const int row0 = blockIdx.y * kBlock, column0 = blockIdx.x * kBlock;
  const int ty = threadIdx.x / 16, tx = threadIdx.x % 16;
  float sums[kEach][kEach] = {};
  for (int k = 0; k < n; k += kDepth) {
    for (int e = threadIdx.x; e < kBlock * kDepth; e += blockDim.x) {
      a_tile[e % kDepth][e / kDepth] = a[(row0 + e / kDepth) * n + k + e % kDepth];
      b_tile[e / kBlock][e % kBlock] = b[(k + e / kBlock) * n + column0 + e % kBlock];
    }
    __syncthreads();
    for (int i = 0; i < kDepth; ++i)
      for (int r = 0; r < kEach; ++r)
        for (int col = 0; col < kEach; ++col) sums[r][col] += a_tile[i][ty * kEach + r] * b_tile[i][tx * kEach + col];
    __syncthreads();
  }
  for (int r = 0; r < kEach; ++r)
    for (int col = 0; col < kEach; ++col) c[(row0 + ty * kEach + r) * n + column0 + tx * kEach + col] = sums[r][col];
}

// One warp a row of 1024, five shuffles at the end.
__global__ void row_sums(const float* in, float* out, int columns) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int i = lane; i < columns; i += 32) sum += in[row * columns + i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (lane == 0) out[row] = sum;
}

// One block of 256 a row: shuffles, shared memory, shuffles.
__global__ void row_sums_by_block(const float* in, float* out, int columns) {
  __shared__ float warps[8];
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += in[blockIdx.x * columns + i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < 8 ? warps[threadIdx.x] : 0.0f;
    for (int step = 4; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
  }
}

__global__ void scale(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

int missed = 0;

void tell(const char* what, double value, const char* unit, double goal, bool more_is_better) {
  const bool met = more_is_better ? value >= goal : value <= goal;
  missed += !met;
  std::printf("%-52s %8.2f %-12s goal %s %g: %s\n", what, value, unit, more_is_better ? ">=" : "<=", goal,
              met ? "met" : "missed");
}

void barriers(int threads, int* out) {
  const int crossings = 4000000 / threads;
  const double taken = best_seconds(3, [&] { cross_barriers<<<1, threads>>>(crossings, out); });
  char what[64];
  std::snprintf(what, sizeof(what), "barrier crossings, %d threads", threads);
  tell(what, 1e-6 * crossings * threads / taken, "million/s", 20, true);
}

}  // namespace

int main() {
  constexpr int kCount = 1 << 20;
  float *a, *b, *c;
  cudaMalloc(&a, kCount * sizeof(float));
  cudaMalloc(&b, kCount * sizeof(float));
  cudaMalloc(&c, kCount * sizeof(float));
  for (int i = 0; i < kCount; ++i) a[i] = b[i] = 1.0f;  // device memory is the host's here
  for (const int threads : {32, 128, 256, 1024}) barriers(threads, reinterpret_cast<int*>(c));

  const dim3 grid(256 / kTile, 256 / kTile), block(kTile, kTile);
  tell("256^3 GEMM through shared memory", 1e3 * best_seconds(5, [&] { gemm_simple<<<grid, block>>>(a, b, c, 256); }),
       "ms", 50, false);
  const bool right = c[777] == 256.0f;
  tell("256^3 GEMM, 4x4 outputs a thread",
       1e3 * best_seconds(5, [&] { gemm_register_tile<<<dim3(4, 4), 256>>>(a, b, c, 256); }), "ms", 50, false);
  tell("row sums of 1024 x 1024, a warp a row", 1e3 * best_seconds(5, [&] { row_sums<<<128, 256>>>(a, c, 1024); }),
       "ms", 80, false);
  tell("row sums of 1024 x 1024, a block a row",
       1e3 * best_seconds(5, [&] { row_sums_by_block<<<1024, 256>>>(a, c, 1024); }), "ms", 80, false);
  const bool sums_right = c[77] == 1024.0f;
  tell("a million threads that do not wait", 1e3 * best_seconds(5, [&] { scale<<<4096, 256>>>(a, b, kCount); }), "ms",
       20, false);
  if (!right || !sums_right || cudaGetLastError() != cudaSuccess) {
    std::printf("a result is wrong\n");
    return 1;
  }
  return missed == 0 ? 0 : 1;
}
