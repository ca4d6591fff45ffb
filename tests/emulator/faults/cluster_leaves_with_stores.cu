// SPDX-License-Identifier: Apache-2.0
// A block leaves the kernel without waiting for what others send it.
// expect: fault
// says: leaves the kernel while stores of others to its shared memory are under way
#include "../idioms/cluster.h"

using namespace stitch;

__global__ void kernel() {
  __shared__ float value;
  __shared__ uint64_t arrived;
  ptx::mbarrier_init(&arrived, 1);
  ptx::mbarrier_arrive_expecting(&arrived, 4);
  ptx::cluster_arrive();
  ptx::cluster_wait();
  const uint32_t other = 1 - ptx::cluster_rank();
  ptx::cluster_store_async(ptx::cluster_address(&value, other), 1.0f, ptx::cluster_address(&arrived, other));
  ptx::cluster_arrive();
  ptx::cluster_wait();
}

int main() {
  launch_clusters(dim3(2), dim3(1), dim3(2), kernel);
  return pass();
}
