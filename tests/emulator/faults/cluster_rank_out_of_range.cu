// SPDX-License-Identifier: Apache-2.0
// The block after the last of the cluster.
// expect: fault
// says: block 4 was addressed in a cluster of 4 blocks
#include "../idioms/cluster.h"

using namespace stitch;

__global__ void kernel() {
  __shared__ float value;
  value = 0.0f;
  ptx::cluster_arrive();
  ptx::cluster_wait();
  ptx::cluster_store(ptx::cluster_address(&value, ptx::cluster_rank() + 1), 1.0f);
  ptx::cluster_arrive();
  ptx::cluster_wait();
}

int main() {
  launch_clusters(dim3(4), dim3(1), dim3(4), kernel);
  return pass();
}
