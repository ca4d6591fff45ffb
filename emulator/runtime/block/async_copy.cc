// SPDX-License-Identifier: Apache-2.0
#include "stitch_emulator/async_copy.h"

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "access/accesses.h"
#include "block/async_copy.h"
#include "block/cluster.h"
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

// A thread's copies that are under way, oldest first, and where its committed groups end. Both keep their memory from
// block to block: our own kernels commit a group each step.
struct Queue {
  std::vector<Copy> copies;
  std::vector<size_t> group_ends;
  size_t first_copy = 0;
  size_t first_group = 0;

  size_t groups_under_way() const { return group_ends.size() - first_group; }
};

struct BlockQueues {
  Queue queues[kMaxThreads];
  bool any_used = false;
};

BlockQueues of_lone_block;
std::array<std::unique_ptr<BlockQueues>, kMaxClusterBlocks> of_members;  // made when a cluster needs them
BlockQueues* running = &of_lone_block;

void carry_out(const Copy& copy) {
  memcpy(copy.shared, copy.global, static_cast<size_t>(copy.valid_bytes));
  memset(static_cast<char*>(copy.shared) + copy.valid_bytes, 0, static_cast<size_t>(copy.bytes - copy.valid_bytes));
}

void forget(Queue& queue) {
  queue.copies.clear();
  queue.group_ends.clear();
  queue.first_copy = 0;
  queue.first_group = 0;
}

void complete_until(Queue& queue, size_t end) {
  for (; queue.first_copy < end; ++queue.first_copy) {
    carry_out(queue.copies[queue.first_copy]);
  }
  if (queue.first_copy == queue.copies.size() && queue.groups_under_way() == 0) {
    forget(queue);
  }
}

void complete_oldest_group(Queue& queue) {
  const size_t end = queue.group_ends[queue.first_group++];
  complete_until(queue, end);
}

bool misaligned(const void* pointer, int bytes) {
  return reinterpret_cast<uintptr_t>(pointer) % static_cast<uintptr_t>(bytes) != 0;
}

}  // namespace

void forget_async_copies() {
  if (!running->any_used) {
    return;
  }
  running->any_used = false;
  for (Queue& queue : running->queues) {
    forget(queue);
  }
}

void use_async_copies_of_member(unsigned int rank) {
  if (of_members[rank] == nullptr) {
    of_members[rank] = std::make_unique<BlockQueues>();
  }
  running = of_members[rank].get();
}

void use_async_copies_of_lone_block() { running = &of_lone_block; }

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
  ++counts.async_copies;
  const auto place = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  note_async_copy(global, static_cast<size_t>(valid_bytes), shared, static_cast<size_t>(bytes), place);
  const Copy copy{shared, global, bytes, valid_bytes};
  if (block.random != 0 && random_bits() % 2 == 0) {
    carry_out(copy);
    return;
  }
  running->any_used = true;
  running->queues[block.current].copies.push_back(copy);
}

void stitch_async_commit() {
  note_async_commit();
  Queue& queue = running->queues[block.current];
  queue.group_ends.push_back(queue.copies.size());
  running->any_used = true;
  if (block.random != 0 && random_bits() % 4 == 0) {
    complete_oldest_group(queue);
  }
}

void stitch_async_wait(int pending) {
  Queue& queue = running->queues[block.current];
  const size_t keep = pending < 0 ? 0 : static_cast<size_t>(pending);
  note_async_wait(pending);
  while (queue.groups_under_way() > keep) {
    complete_oldest_group(queue);
  }
  if (pending < 0) {
    complete_until(queue, queue.copies.size());
  }
}

}  // extern "C"
