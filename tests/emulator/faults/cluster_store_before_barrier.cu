// SPDX-License-Identifier: Apache-2.0
// A store to another block of the cluster that may not run yet.
// expect: fault
// says: before the first barrier of the cluster
#include "../idioms/cluster.h"

using namespace stitch;

__global__ void kernel() {
  __shared__ float value;
  ptx::cluster_store(ptx::cluster_address(&value, 1 - ptx::cluster_rank()), 1.0f);
  ptx::cluster_arrive();
  ptx::cluster_wait();
}

int main() {
  launch_clusters(dim3(2), dim3(1), dim3(2), kernel);
  return pass();
}
