// SPDX-License-Identifier: Apache-2.0
// Blocks of clusters in two dimensions that write to each other's shared memory, with barriers of the cluster between,
// and in a ring of stores that mbarriers count.
#include "cluster.h"

using namespace stitch;

constexpr int kThreads = 48;

// Each block adds what all blocks of its cluster have, round after round.
__global__ void sums(float* out, int rounds) {
  __shared__ float values[4][kThreads];
  const int thread = static_cast<int>(threadIdx.x);
  const uint32_t rank = ptx::cluster_rank();
  float own = static_cast<float>(rank + blockIdx.x + thread);
  ptx::cluster_arrive();
  ptx::cluster_wait();
  for (int round = 0; round < rounds; ++round) {
    for (uint32_t to = 0; to < ptx::cluster_blocks(); ++to) {
      ptx::cluster_store(ptx::cluster_address(&values[rank][thread], to), own);
    }
    ptx::cluster_arrive();
    ptx::cluster_wait();
    own = 0.0f;
    for (uint32_t from = 0; from < ptx::cluster_blocks(); ++from) {
      own += values[from][thread];
    }
    ptx::cluster_arrive();  // all have read what the next round writes over
    ptx::cluster_wait();
  }
  out[(blockIdx.y * gridDim.x + blockIdx.x) * kThreads + thread] = own;
}

// A block sends to the next one what it got from the one before.
__global__ void ring(float* out, int rounds) {
  __shared__ __align__(16) float values[2][2 * kThreads];
  __shared__ uint64_t arrived[2];
  const int thread = static_cast<int>(threadIdx.x);
  const uint32_t next = (ptx::cluster_rank() + 1) % ptx::cluster_blocks();
  if (thread == 0) {
    for (uint64_t& each : arrived) {
      ptx::mbarrier_init(&each, 1);
      ptx::mbarrier_fence_init();
      ptx::mbarrier_arrive_expecting(&each, sizeof(values[0]));
    }
  }
  ptx::cluster_arrive();
  ptx::cluster_wait();
  float first = static_cast<float>(blockIdx.x);
  float second = static_cast<float>(thread);
  for (int round = 0; round < rounds; ++round) {
    const int buffer = round % 2;
    ptx::cluster_store_async(ptx::cluster_address(&values[buffer][2 * thread], next), first, second,
                             ptx::cluster_address(&arrived[buffer], next));
    ptx::mbarrier_wait_cluster(&arrived[buffer], static_cast<uint32_t>(round / 2 % 2));
    if (thread == 0) {
      ptx::mbarrier_arrive_expecting(&arrived[buffer], sizeof(values[0]));
    }
    first = values[buffer][2 * thread];
    second = values[buffer][2 * thread + 1];
    ptx::cluster_arrive();  // nobody is two rounds ahead
    ptx::cluster_wait();
  }
  out[blockIdx.x * kThreads + thread] = first * 100.0f + second;
}

void check_sums() {
  DeviceArray<float> out(4 * 4 * kThreads);
  CHECK(launch_clusters(dim3(4, 4), dim3(kThreads), dim3(2, 2), sums, out.data, 3));
  std::vector<float> expected;
  for (int block = 0; block < 16; ++block) {
    for (int thread = 0; thread < kThreads; ++thread) {
      // Ranks 0 to 3, columns twice each.
      const int column = block % 4 / 2 * 2;
      expected.push_back(16.0f * static_cast<float>(6 + 4 * column + 2 + 4 * thread));
    }
  }
  expect_equal(out.get(), expected, "sums");
}

void check_ring() {
  constexpr int kRounds = 5;
  DeviceArray<float> out(16 * kThreads);
  CHECK(launch_clusters(dim3(16), dim3(kThreads), dim3(8), ring, out.data, kRounds));
  std::vector<float> expected;
  for (int block = 0; block < 16; ++block) {
    for (int thread = 0; thread < kThreads; ++thread) {
      const int from = block / 8 * 8 + (block + 8 - kRounds) % 8;
      expected.push_back(static_cast<float>(from * 100 + thread));
    }
  }
  expect_equal(out.get(), expected, "ring");
}

int main() {
  check_sums();
  check_ring();
  DeviceArray<float> out(kThreads);
  if (launch_clusters(dim3(3), dim3(kThreads), dim3(2), sums, out.data, 1) == cudaSuccess ||
      launch_clusters(dim3(9), dim3(kThreads), dim3(9), sums, out.data, 1) == cudaSuccess) {
    std::printf("WRONG: clusters that cannot be were launched\n");
    return 1;
  }
  cudaGetLastError();
  return pass();
}
