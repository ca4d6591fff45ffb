// SPDX-License-Identifier: Apache-2.0
// A wait on plain memory never lets another thread run; the time limit ends it.
// expect: fault
// says: must not spin on a later block
#include "../idioms/check.h"
#ifdef STITCH_EMULATED
#include <stitch_emulator_control.h>
#endif

__global__ void kernel(volatile int* flag) {
  while (*flag == 0) {
  }
}

int main() {
#ifdef STITCH_EMULATED
  stitch_emulator_limits limits = {};
  limits.seconds_per_wait = 1;
  stitch_emulator_set_limits(&limits);
#endif
  DeviceArray<int> flag(std::vector<int>{0});
  kernel<<<1, 1>>>(flag.data);
  return pass();
}
