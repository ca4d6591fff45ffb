// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cooperative_groups/reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Operation>
inline T inclusive_scan(const Group& group, T value, Operation operation, STITCH_PLACE) {
  for (unsigned int step = 1; step < group.size(); step *= 2) {
    const T before = group.shfl_up(value, step, STITCH_PLACE_ARGUMENTS);
    value = group.thread_rank() >= step ? operation(before, value) : value;
  }
  return value;
}
template <class Group, class T>
inline T inclusive_scan(const Group& group, T value, STITCH_PLACE) {
  return inclusive_scan(group, value, plus<T>(), STITCH_PLACE_ARGUMENTS);
}

template <class Group, class T, class Operation>
inline T exclusive_scan(const Group& group, T value, Operation operation, STITCH_PLACE) {
  const T inclusive = inclusive_scan(group, value, operation, STITCH_PLACE_ARGUMENTS);
  const T before = group.shfl_up(inclusive, 1, STITCH_PLACE_ARGUMENTS);
  return group.thread_rank() == 0 ? T{} : before;
}
template <class Group, class T>
inline T exclusive_scan(const Group& group, T value, STITCH_PLACE) {
  return exclusive_scan(group, value, plus<T>(), STITCH_PLACE_ARGUMENTS);
}

}  // namespace cooperative_groups
