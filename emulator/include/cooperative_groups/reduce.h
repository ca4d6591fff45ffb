// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cooperative_groups.h"

namespace cooperative_groups {

template <class T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  T operator()(T a, T b) const { return a ^ b; }
};

// Every member gets the result: a tree down to rank 0, then a broadcast, for groups of any size.
template <class Group, class T, class Operation>
inline T reduce(const Group& group, T value, Operation operation, STITCH_PLACE) {
  const unsigned int rank = group.thread_rank();
  for (unsigned int step = 1; step < group.size(); step *= 2) {
    const T other = group.shfl_down(value, step, STITCH_PLACE_ARGUMENTS);
    if (rank % (2 * step) == 0 && rank + step < group.size()) {
      value = operation(value, other);
    }
  }
  return group.shfl(value, 0, STITCH_PLACE_ARGUMENTS);
}

}  // namespace cooperative_groups
