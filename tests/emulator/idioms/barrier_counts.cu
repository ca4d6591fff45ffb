// SPDX-License-Identifier: Apache-2.0
// __syncthreads_count, _and and _or: a block-wide search that stops when nobody has more to do.
#include <algorithm>

#include "check.h"

__global__ void collatz(const int* start, int* rounds, int* finished) {
  int value = start[threadIdx.x];
  int round = 0;
  while (!__syncthreads_and(value == 1)) {
    if (value != 1) value = value % 2 ? 3 * value + 1 : value / 2;
    ++round;
    const int done = __syncthreads_count(value == 1);
    if (threadIdx.x == 0) finished[round - 1] = done;
  }
  if (__syncthreads_or(round > 100)) round = -1;
  rounds[threadIdx.x] = round;
}

int main() {
  std::vector<int> start(96), finished(20, 0);
  int longest = 0;
  for (int i = 0; i < 96; ++i) {
    start[i] = 1 + i % 12;
    int steps = 0;
    for (int v = start[i]; v != 1; v = v % 2 ? 3 * v + 1 : v / 2) ++steps;
    longest = std::max(longest, steps);
    for (int r = 0; r < 20; ++r) finished[r] += steps <= r + 1;
  }
  finished.resize(longest);
  DeviceArray<int> a(start), b(96), c(64);
  collatz<<<1, 96>>>(a.data, b.data, c.data);
  expect_equal(b.get(), std::vector<int>(96, longest), "rounds");
  expect_equal(c.get(), finished, "finished");
  return pass();
}
