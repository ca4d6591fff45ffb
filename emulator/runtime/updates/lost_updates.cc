// SPDX-License-Identifier: Apache-2.0
// The checked build: finds two threads that read, change and write one address without order between them. Threads take
// turns here and switch only where they wait, so that both sums are right; on a GPU one of them is lost.
//
// AddressSanitizer calls a function before each access (sanitizer_calls.cc). It leaves out the call for a write that
// follows a read of the same address with no call between: such a write shows at the next read, as a value that changed
// although nobody was seen to write. Only the last reader can have done that, since threads switch in calls alone.
#include "updates/lost_updates.h"

#ifdef __SANITIZE_ADDRESS__

#include <sanitizer/common_interface_defs.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "block/shared.h"
#include "block/state.h"
#include "control/counts.h"
#include "fault/fault.h"
#include "stitch_emulator/memory.h"
#include "updates/host_memory.h"
#include "updates/order.h"

// Made by the linker: the variables of the program that holds the emulator.
extern "C" const char __data_start[];
extern "C" const char _end[];

namespace stitch_emulator {
namespace {

// A thread at a moment. `clock` counts barriers, warp operations, atomics and fences of the launch.
struct Moment {
  uint64_t block = 0;
  int thread = -1;
  uint32_t clock = 0;
  uint32_t block_barrier = 0;   // when its block's last barrier opened
  uint32_t warp_operation = 0;  // when its warp's last operation was complete
  uint32_t atomic = 0;          // when its thread's last atomic or fence was
  uint32_t block_atomic = 0;    // when its block's was

  bool is_thread_of(const Moment& other) const { return block == other.block && thread == other.thread; }
};

// Numbers moments from 1 on; the youngest are kept.
class Moments {
 public:
  // That of the running thread now.
  uint32_t current();
  // Null: too long ago.
  const Moment* find(uint32_t number) const {
    return number != 0 && last_ - number < kKept - 1 ? &kept_[number % kKept] : nullptr;
  }
  void forget_current() { kept_[last_ % kKept].thread = -1; }

 private:
  static constexpr uint32_t kKept = 1u << 15;

  Moment kept_[kKept];
  uint32_t last_ = 0;
};

// An address that was read. Kept in a table without chains: one that meets another in its row takes its place.
struct Row {
  const char* address = nullptr;
  uint32_t generation = 0;  // of the launch; in shared memory of the block
  uint32_t value = 0;
  uint32_t read = 0;    // the moment of the last read; 0: the value is not known
  uint32_t update = 0;  // the moment of the last update; 0: none
  uint32_t bytes = 0;
  uintptr_t read_at = 0;  // the last read's program counter
};

constexpr size_t kRows = 1u << 14;
constexpr size_t kMaxSuspects = 4096;
constexpr uint32_t kWordBytes = 4;

Row rows[kRows];
Moments moments;
uint32_t generations = 0;
uint32_t launch_generation = 0;
uint32_t block_generation = 0;
uint32_t clock = 0;
uint64_t block_number = 0;
uint32_t block_barrier = 0;
uint32_t block_atomic = 0;
uint32_t warp_operation[kMaxWarps];
uint32_t thread_atomic[kMaxThreads];
// Blocks of this launch that have ended: when their last atomic was.
std::unordered_map<uint64_t, uint32_t> ended_blocks;
// Rows that a second thread has read, unordered, since another updated them.
std::vector<Row*> suspects;

uint32_t Moments::current() {
  const Moment& last = kept_[last_ % kKept];
  if (last.thread != block.current || last.clock != clock) {
    const int thread = block.current;
    kept_[++last_ % kKept] = {
        block_number,          thread,      clock, block_barrier, warp_operation[warp_number(thread)],
        thread_atomic[thread], block_atomic};
  }
  return last_;
}

// Whether something orders `later` behind what was done at `earlier`. In doubt it does: nobody is accused wrongly.
bool is_ordered(const Moment& earlier, const Moment& later) {
  if (earlier.block != later.block) {
    const auto ended = ended_blocks.find(earlier.block);
    return ended != ended_blocks.end() && ended->second > earlier.clock && later.block_atomic > earlier.clock;
  }
  const bool same_warp = warp_number(earlier.thread) == warp_number(later.thread);
  return later.block_barrier > earlier.clock || (same_warp && later.warp_operation > earlier.clock) ||
         (thread_atomic[earlier.thread] > earlier.clock && later.atomic > earlier.clock);
}

uint32_t value_at(const char* address, uint32_t bytes) {
  uint32_t value = 0;
  memcpy(&value, address, bytes);
  return value;
}

[[noreturn]] void report(const Row& row, const Moment& earlier, const Moment& later) {
  char location[512];
  __sanitizer_symbolize_pc(reinterpret_cast<void*>(row.read_at), "%s:%l", location, sizeof(location));
  char* colon = strrchr(location, ':');
  const int line = colon == nullptr ? 0 : atoi(colon + 1);
  if (colon != nullptr) {
    *colon = '\0';
  }
  char other_block[64] = "";
  if (earlier.block != later.block) {
    snprintf(other_block, sizeof(other_block), " of block %llu", static_cast<unsigned long long>(earlier.block));
  }
  char message[512];
  snprintf(message, sizeof(message),
           "lost update: thread %d of block %llu reads, changes and writes an address in %s memory that thread %d%s "
           "changes so, too, with nothing that orders the two; use an atomic, or a barrier between them",
           later.thread, static_cast<unsigned long long>(later.block),
           stitch_is_shared(row.address) ? "shared" : "global", earlier.thread, other_block);
  host_fault(message, line > 0 ? location : nullptr, line);
}

bool is_unordered(const Moment* earlier, const Moment* later) {
  return earlier != nullptr && later != nullptr && !earlier->is_thread_of(*later) && !is_ordered(*earlier, *later);
}

void record_update(Row& row, uint32_t by) {
  const Moment* earlier = moments.find(row.update);
  const Moment* later = moments.find(by);
  if (is_unordered(earlier, later)) {
    report(row, *earlier, *later);
  }
  row.update = by;
}

// The write that nobody saw was the last reader's.
void settle(Row& row) {
  if (row.read != 0 && value_at(row.address, row.bytes) != row.value) {
    record_update(row, row.read);
  }
}

Row& row_of(const char* address) {
  const auto number = reinterpret_cast<uintptr_t>(address);
  return rows[(number >> 2 ^ (number & 3) << 11) % kRows];
}

bool is_about(const Row& row, const char* address, uint32_t bytes, uint32_t generation) {
  return row.address == address && row.bytes == bytes && row.generation == generation;
}

void read_word(const char* address, uint32_t bytes, uint32_t generation, uint32_t reader, uintptr_t read_at) {
  Row& row = row_of(address);
  const uint32_t value = value_at(address, bytes);
  if (!is_about(row, address, bytes, generation)) {
    row = {address, generation, value, reader, 0, bytes, read_at};
    return;
  }
  if (value != row.value) {
    settle(row);
    row.value = value;
  }
  row.read = reader;
  row.read_at = read_at;
  if (row.update != 0 && row.update != reader && suspects.size() < kMaxSuspects &&
      is_unordered(moments.find(row.update), moments.find(reader))) {
    suspects.push_back(&row);
  }
}

void write_word(const char* address, uint32_t bytes, uint32_t generation, uint32_t writer) {
  Row& row = row_of(address);
  if (!is_about(row, address, bytes, generation)) {
    return;
  }
  settle(row);
  const Moment* read = moments.find(row.read);
  if (read != nullptr && read->is_thread_of(*moments.find(writer))) {
    record_update(row, row.read);
  }
  row.read = 0;  // until it is read again
}

template <typename Each>
void for_each_word(const char* address, size_t bytes, const Each& each) {
  if (bytes < kWordBytes) {
    each(address, static_cast<uint32_t>(bytes));
    return;
  }
  for (size_t offset = 0; offset + kWordBytes <= bytes; offset += kWordBytes) {
    each(address + offset, kWordBytes);
  }
}

void settle_suspects() {
  for (Row* row : suspects) {
    if (row->generation == launch_generation || row->generation == block_generation) {
      settle(*row);
    }
  }
  suspects.clear();
}

bool is_within(uintptr_t address, uintptr_t start, uintptr_t end) { return address >= start && address < end; }

// 0: no memory of the device, but a variable of the emulator's, such as threadIdx, or the host's stack, which holds a
// kernel's arguments.
uint32_t generation_of(const char* address) {
  const auto number = reinterpret_cast<uintptr_t>(address);
  if (is_within(number, reinterpret_cast<uintptr_t>(__data_start), reinterpret_cast<uintptr_t>(_end))) {
    return stitch_is_shared(address) ? block_generation : 0;
  }
  const auto host = reinterpret_cast<uintptr_t>(host_fiber.stack_bottom);
  return is_within(number, host, host + host_fiber.stack_bytes) ? 0 : launch_generation;
}

}  // namespace

void note_read(const void* address, size_t bytes, uintptr_t program_counter) {
  const auto* start = static_cast<const char*>(address);
  const uint32_t generation = generation_of(start);
  if (generation == 0) {
    return;
  }
  check_host_memory(start, program_counter);
  const uint32_t reader = moments.current();
  for_each_word(start, bytes,
                [=](const char* word, uint32_t size) { read_word(word, size, generation, reader, program_counter); });
}

void note_write(const void* address, size_t bytes, uintptr_t program_counter) {
  const auto* start = static_cast<const char*>(address);
  const uint32_t generation = generation_of(start);
  if (generation == 0) {
    return;
  }
  check_host_memory(start, program_counter);
  const uint32_t writer = moments.current();
  for_each_word(start, bytes, [=](const char* word, uint32_t size) { write_word(word, size, generation, writer); });
}

void begin_launch_updates() {
  launch_generation = ++generations;
  clock = 1;
  ended_blocks.clear();
  suspects.clear();
}

void begin_block_updates(uint64_t number) {
  block_generation = ++generations;
  block_number = number;
  block_barrier = 0;
  block_atomic = 0;
  memset(warp_operation, 0, sizeof(warp_operation));
  memset(thread_atomic, 0, sizeof(thread_atomic));
  moments.forget_current();
}

void end_block_updates() {
  settle_suspects();
  if (block_atomic != 0) {
    ended_blocks[block_number] = block_atomic;
  }
  ++clock;
}

void suspend_block_updates() {
  settle_suspects();
  ended_blocks[block_number] = ++clock;
}

void resume_block_updates(uint64_t number) {
  begin_block_updates(number);
  block_barrier = block_atomic = ++clock;
}

void forget_reads(const void* address, size_t bytes) {
  for_each_word(static_cast<const char*>(address), bytes, [](const char* word, uint32_t) {
    Row& row = row_of(word);
    row.read = row.address == word ? 0 : row.read;
  });
}

void note_block_barrier() { block_barrier = ++clock; }
void note_warp_operation(unsigned int warp) { warp_operation[warp] = ++clock; }

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

void stitch_note_fence();

void stitch_note_atomic(const void* address, size_t bytes) {
  if (!in_block) {
    return;
  }
  stitch_note_fence();
  const auto* start = static_cast<const char*>(address);
  const uint32_t generation = generation_of(start);
  for_each_word(start, bytes, [=](const char* word, uint32_t size) {
    Row& row = row_of(word);
    if (is_about(row, word, size, generation)) {
      row.read = 0;
    }
  });
}

void stitch_note_fence() {
  if (in_block) {
    thread_atomic[block.current] = block_atomic = ++clock;
  }
}

}  // extern "C"

#endif
