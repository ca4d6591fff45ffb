// SPDX-License-Identifier: Apache-2.0
// Makes the compiler recurse without end.
#include "linear_relu.h"

template <int N>
struct Deep {
  static constexpr int value = Deep<N - 1>::value + Deep<N - 2>::value;
};

static int run_program(const Call& call) { return honest(call) + Deep<100000>::value; }
