// SPDX-License-Identifier: Apache-2.0
// clang-format off
// Launches that are hard to read: '>' inside arguments, macros, comments, strings, line breaks.
#include "check.h"

#define LAUNCH(KERNEL, BLOCKS, ...) KERNEL<<<BLOCKS, 32>>>(__VA_ARGS__)
#define GEOMETRY 1, 32
#define RUN_TWICE(k, x)  \
  do {                   \
    k<<<1, 32>>>(x);     \
    k<<<GEOMETRY>>>(x);  \
  } while (0)

template <int kA, bool kB>
__global__ void add(int* x) {
  x[threadIdx.x] += kB ? kA : -kA;
}
__global__ void one(int* x) { x[threadIdx.x] += 1; }
template <class T, class U>
struct Pair {
  T first;
  U second;
};
template <class P>
__global__ void from_pair(int* x, P pair) {
  x[threadIdx.x] += static_cast<int>(pair.first + pair.second);
}

int main() {
  DeviceArray<int> x(std::vector<int>(32, 0));
  const int big = 9, small = 3;
  add<(9 > 3 ? 4 : 5), (9 > 3)><<<(big > small ? 1 : 2), 32>>>(x.data);                 // 4
  add<2, true> /* a comment with <<<1, 2>>> */ <<<1, 32, big > small ? 16 : 0>>>(x.data);  // 2
  from_pair<<<1, 32>>>(x.data, Pair<int, float>{1, 2.0f});                              // 3
  LAUNCH((add<10, true>), 1, x.data);                                                   // 10
  LAUNCH(one, 1, x.data);                                                               // 1
  RUN_TWICE(one, x.data);                                                               // 2
  one<<<1,
        // a line comment >>>(x)
        32>>>(
      x.data);  // 1
  const char* text = "one<<<1, 32>>>(x.data);";
  const char* raw = R"(one<<<1, 32>>>(x.data);)";
  if (text[0] != raw[0]) one<<<1, 32>>>(x.data);
  else add<100, false><<<1, 32>>>(x.data);  // -100
  const int shifted = (1 << 2 << 1) + (256 >> 2 >> 3);
  expect_equal(x.get(), std::vector<int>(32, 23 - 100), "x");
  return shifted == 16 ? pass() : 1;
}
