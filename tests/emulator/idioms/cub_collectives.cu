// SPDX-License-Identifier: Apache-2.0
// cub's block and warp reductions and scans.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include "check.h"

struct Largest {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

template <int kThreads>
__global__ void block_collectives(const int* in, int* out) {
  using Reduce = cub::BlockReduce<int, kThreads>;
  using Scan = cub::BlockScan<int, kThreads>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
  } storage;
  const int value = in[threadIdx.x];
  const int sum = Reduce(storage.reduce).Sum(value);
  __syncthreads();
  const int largest = Reduce(storage.reduce).Reduce(value, Largest());
  __syncthreads();
  int before = 0, total = 0;
  Scan(storage.scan).ExclusiveSum(value, before, total);
  __syncthreads();
  int upto = 0;
  Scan(storage.scan).InclusiveSum(value, upto);
  out[threadIdx.x] = before * 1000 + upto;
  if (threadIdx.x == 0) {
    out[kThreads] = sum;
    out[kThreads + 1] = largest;
  }
  if (threadIdx.x == kThreads - 1) out[kThreads + 2] = total;
}

// Several elements a thread, by sums and by an operation that does not commute.
struct Second {
  __host__ __device__ int operator()(int a, int b) const { return b == 0 ? a : b; }
};

template <int kThreads, int kEach>
__global__ void block_scans(const int* in, int* out) {
  using Scan = cub::BlockScan<int, kThreads>;
  __shared__ typename Scan::TempStorage storage;
  int mine[kEach], upto[kEach], before[kEach], last[kEach], total = 0;
  for (int i = 0; i < kEach; ++i) mine[i] = in[threadIdx.x * kEach + i];
  Scan(storage).InclusiveSum(mine, upto, total);
  __syncthreads();
  Scan(storage).ExclusiveScan(mine, last, 5, Second());
  __syncthreads();
  Scan(storage).ExclusiveSum(mine, before);
  for (int i = 0; i < kEach; ++i) {
    int* to = out + (threadIdx.x * kEach + i) * 4;
    to[0] = upto[i];
    to[1] = before[i];
    to[2] = last[i];
    to[3] = total;
  }
}

template <int kThreads, int kEach>
void check_block_scans() {
  std::vector<int> in, expected;
  int sum = 0, total = 0, last = 5;
  for (int i = 0; i < kThreads * kEach; ++i) {
    in.push_back(i * 5 % 11 - 4);
    total += in.back();
  }
  for (const int value : in) {
    expected.insert(expected.end(), {sum + value, sum, last, total});
    sum += value;
    last = value == 0 ? last : value;
  }
  DeviceArray<int> a(in), b(in.size() * 4);
  block_scans<kThreads, kEach><<<1, kThreads>>>(a.data, b.data);
  expect_equal(b.get(), expected, "scans of several elements");
}

__global__ void warp_collectives(const float* in, float* out) {
  using Reduce = cub::WarpReduce<float>;
  using Half = cub::WarpReduce<float, 16>;
  using Scan = cub::WarpScan<float>;
  __shared__ typename Reduce::TempStorage reduce[2];
  __shared__ typename Half::TempStorage half[4];
  __shared__ typename Scan::TempStorage scan[2];
  const int warp = threadIdx.x / 32;
  const float sum = Reduce(reduce[warp]).Sum(in[threadIdx.x]);
  const float half_sum = Half(half[threadIdx.x / 16]).Sum(in[threadIdx.x]);
  float upto = 0;
  Scan(scan[warp]).InclusiveSum(in[threadIdx.x], upto);
  out[threadIdx.x] = upto;
  if (threadIdx.x % 32 == 0) out[64 + warp] = sum;
  if (threadIdx.x % 16 == 0) out[66 + threadIdx.x / 16] = half_sum;
}

int main() {
  constexpr int kThreads = 96;
  std::vector<int> in(kThreads), expected;
  int sum = 0, largest = 0;
  for (int i = 0; i < kThreads; ++i) {
    in[i] = i * 7 % 13;
    expected.push_back(sum * 1000 + sum + in[i]);
    sum += in[i];
    largest = in[i] > largest ? in[i] : largest;
  }
  expected.insert(expected.end(), {sum, largest, sum});
  DeviceArray<int> a(in), b(kThreads + 3);
  block_collectives<kThreads><<<1, kThreads>>>(a.data, b.data);
  expect_equal(b.get(), expected, "block");
  check_block_scans<96, 3>();
  check_block_scans<20, 4>();

  std::vector<float> values(64), results(70, 0.0f);
  for (int i = 0; i < 64; ++i) {
    values[i] = i % 9 * 0.5f;
    results[i] = values[i] + (i % 32 ? results[i - 1] : 0);
    results[64 + i / 32] += values[i];
    results[66 + i / 16] += values[i];
  }
  DeviceArray<float> c(values), d(70);
  warp_collectives<<<1, 64>>>(c.data, d.data);
  expect_equal(d.get(), results, "warp");
  return pass();
}
