// SPDX-License-Identifier: Apache-2.0
// A kernel writes through a null pointer.
// expect: fault
// says: an access to (nil)
// says: launched at {HERE}
#include "../idioms/check.h"

__global__ void kernel(int* x) { x[0] = 1; }

int main() {
  int* nowhere = nullptr;
  kernel<<<1, 1>>>(nowhere);  // HERE
  return pass();
}
