// SPDX-License-Identifier: Apache-2.0
// memcpy_async of a group: its threads share the bytes out among themselves; they land when the group waits.
#pragma once

#include "cooperative_groups.h"
#include "stitch_emulator/async_copy.h"

namespace cooperative_groups {

template <class Group, class T>
inline void memcpy_async(const Group& group, T* shared, const T* global, size_t bytes, STITCH_PLACE) {
  constexpr size_t kPiece = 4;
  const size_t first = group.thread_rank() * kPiece;
  for (size_t at = first; at + kPiece <= bytes; at += group.size() * kPiece) {
    stitch_async_copy(reinterpret_cast<char*>(shared) + at, reinterpret_cast<const char*>(global) + at, kPiece, kPiece,
                      STITCH_PLACE_ARGUMENTS);
  }
  const size_t whole = bytes / kPiece * kPiece;
  if (group.thread_rank() == 0 && whole < bytes) {
    memcpy(reinterpret_cast<char*>(shared) + whole, reinterpret_cast<const char*>(global) + whole, bytes - whole);
  }
  stitch_async_commit();
}

template <class Group>
inline void wait(const Group& group, STITCH_PLACE) {
  stitch_async_wait(0);
  group.sync(STITCH_PLACE_ARGUMENTS);
}

template <unsigned int Pending, class Group>
inline void wait_prior(const Group& group, STITCH_PLACE) {
  stitch_async_wait(static_cast<int>(Pending));
  group.sync(STITCH_PLACE_ARGUMENTS);
}

}  // namespace cooperative_groups
