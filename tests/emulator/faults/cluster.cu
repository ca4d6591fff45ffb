// SPDX-License-Identifier: Apache-2.0
// Thread-block clusters.
// expect: refused
// says: {HERE}:
// says: clusters are not supported on the emulated device but by
#include <cooperative_groups.h>

__global__ void kernel(int* x) {
  cooperative_groups::this_cluster().sync();  // HERE
}
