// SPDX-License-Identifier: Apache-2.0
// expect: fault
// says: arrives at the barrier of its cluster twice without waiting
#include "../idioms/cluster.h"

using namespace stitch;

__global__ void kernel() {
  ptx::cluster_arrive();
  ptx::cluster_arrive();
  ptx::cluster_wait();
}

int main() {
  launch_clusters(dim3(2), dim3(1), dim3(2), kernel);
  return pass();
}
