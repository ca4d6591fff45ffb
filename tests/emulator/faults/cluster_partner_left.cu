// SPDX-License-Identifier: Apache-2.0
// A block of a cluster leaves although another one will still write to it.
// expect: fault
// says: block 1 of the cluster, which has left the kernel
#include "../idioms/cluster.h"

using namespace stitch;

__global__ void kernel() {
  __shared__ float value;
  value = 0.0f;
  ptx::cluster_arrive();
  ptx::cluster_wait();
  if (ptx::cluster_rank() == 0) {
    ptx::cluster_store(ptx::cluster_address(&value, 1), 1.0f);
  }
}

int main() {
  launch_clusters(dim3(2), dim3(1), dim3(2), kernel);
  return pass();
}
