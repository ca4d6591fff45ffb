// SPDX-License-Identifier: Apache-2.0
// One block waits for a store that nobody makes; the others wait for it at the barrier of the cluster.
// expect: fault
// says: kernel kernel, block (0,0,0)
// says: thread 0 waits in the barrier of its cluster here
// says: no other of its cluster's 3 blocks can, 0 have ended
#include "../idioms/cluster.h"

using namespace stitch;

__global__ void kernel() {
  __shared__ uint64_t arrived;
  if (ptx::cluster_rank() == 2) {
    ptx::mbarrier_init(&arrived, 1);
    ptx::mbarrier_arrive_expecting(&arrived, 4);
    ptx::mbarrier_wait_cluster(&arrived, 0);
  }
  ptx::cluster_arrive();
  ptx::cluster_wait();
}

int main() {
  launch_clusters(dim3(3), dim3(1), dim3(3), kernel);
  return pass();
}
