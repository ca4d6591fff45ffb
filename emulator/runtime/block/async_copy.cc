// SPDX-License-Identifier: Apache-2.0
#include "stitch_emulator/async_copy.h"

#include <cstring>
#include <deque>
#include <vector>

#include "block/async_copy.h"
#include "block/state.h"
#include "control/counts.h"
#include "fault/fault.h"

namespace stitch_emulator {
namespace {

struct Copy {
  void* shared;
  const void* global;
  int bytes;
  int valid_bytes;
};

struct Queue {
  std::deque<std::vector<Copy>> committed;
  std::vector<Copy> open;
};

Queue queues[kMostThreads];
bool any_used = false;

void carry_out(const std::vector<Copy>& group) {
  for (const Copy& copy : group) {
    memcpy(copy.shared, copy.global, static_cast<size_t>(copy.valid_bytes));
    memset(static_cast<char*>(copy.shared) + copy.valid_bytes, 0, static_cast<size_t>(copy.bytes - copy.valid_bytes));
  }
}

bool misaligned(const void* pointer, int bytes) {
  return reinterpret_cast<uintptr_t>(pointer) % static_cast<uintptr_t>(bytes) != 0;
}

}  // namespace

void forget_async_copies() {
  if (!any_used) {
    return;
  }
  any_used = false;
  for (Queue& queue : queues) {
    queue.committed.clear();
    queue.open.clear();
  }
}

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

void stitch_async_copy(void* shared, const void* global, int bytes, int valid_bytes, const char* file, int line) {
  if (bytes != 4 && bytes != 8 && bytes != 16) {
    fault("an asynchronous copy moves 4, 8 or 16 bytes", file, line);
  }
  if (misaligned(shared, bytes) || (valid_bytes > 0 && misaligned(global, bytes))) {
    fault("an asynchronous copy needs both addresses aligned to its size", file, line);
  }
  any_used = true;
  ++counts.async_copies;
  queues[block.current].open.push_back({shared, global, bytes, valid_bytes});
}

void stitch_async_commit() {
  Queue& queue = queues[block.current];
  queue.committed.push_back(std::move(queue.open));
  queue.open.clear();
  any_used = true;
}

void stitch_async_wait(int pending) {
  Queue& queue = queues[block.current];
  const size_t keep = pending < 0 ? 0 : static_cast<size_t>(pending);
  while (queue.committed.size() > keep) {
    carry_out(queue.committed.front());
    queue.committed.pop_front();
  }
  if (pending < 0) {
    carry_out(queue.open);
    queue.open.clear();
  }
}

}  // extern "C"
