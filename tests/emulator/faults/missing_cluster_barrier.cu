// SPDX-License-Identifier: Apache-2.0
// What the next round writes may not have been read by the block that it is written to.
// expect: wrong
#include "../idioms/cluster.h"

using namespace stitch;

__global__ void kernel(float* out) {
  __shared__ float value;
  const uint32_t rank = ptx::cluster_rank();
  const uint32_t next = (rank + 1) % ptx::cluster_blocks();
  float own = static_cast<float>(rank);
  ptx::cluster_arrive();
  ptx::cluster_wait();
  for (int round = 0; round < 3; ++round) {
    ptx::cluster_store(ptx::cluster_address(&value, next), own);
    ptx::cluster_arrive();
    ptx::cluster_wait();
    own = value;
  }
  out[rank] = own;
  ptx::cluster_arrive();
  ptx::cluster_wait();
}

int main() {
  DeviceArray<float> out(4);
  launch_clusters(dim3(4), dim3(1), dim3(4), kernel, out.data);
  expect_equal(out.get(), std::vector<float>{1, 2, 3, 0}, "values");
  return pass();
}
