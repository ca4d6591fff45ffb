// SPDX-License-Identifier: Apache-2.0
#include "stitch_emulator/mbarrier.h"

#include <array>
#include <cstring>
#include <vector>

#include "access/accesses.h"
#include "block/cluster.h"
#include "block/mbarrier.h"
#include "block/state.h"
#include "control/counts.h"
#include "fault/fault.h"
#include "stitch_emulator/synchronise.h"
#include "updates/order.h"

namespace stitch_emulator {
namespace {

// The eight bytes in shared memory.
struct Mbarrier {
  uint16_t arrivals;  // that a phase expects
  uint16_t pending;   // of them still to come
  uint32_t parity : 1;
  int32_t bytes : 31;  // expected and not yet copied
};
static_assert(sizeof(Mbarrier) == 8);

constexpr int kMostArrivals = 1024;
constexpr uint32_t kUnit = 16;  // bytes that copies and their addresses are multiples of

struct BulkCopy {
  void* shared;
  const void* global;
  uint32_t bytes;
  Mbarrier* barrier;
};

std::vector<BulkCopy> of_lone_block;
std::array<std::vector<BulkCopy>, kMaxClusterBlocks> of_members;
std::vector<BulkCopy>* under_way = &of_lone_block;

Mbarrier& initialised(void* memory, const char* file, int line) {
  auto* barrier = static_cast<Mbarrier*>(memory);
  if (barrier->arrivals == 0 || barrier->arrivals > kMostArrivals) {
    fault("an mbarrier was used that is not initialised", file, line);
  }
  return *barrier;
}

struct PhaseWait {
  Mbarrier* barrier;
  uint32_t parity;

  bool is_over() const { return barrier->parity != parity; }
};

bool phase_has_ended(void* state);

// In a random order, those who waited may run before others who could already: a program that releases memory too early
// has it overwritten. Not from within phase_has_ended, whose caller wakes.
void wake_waiting(const Mbarrier& barrier) {
  if (block.random == 0) {
    return;
  }
  for (int thread = 0; thread < block.thread_count; ++thread) {
    Condition& condition = block.conditions[thread];
    if (condition.is_ready != phase_has_ended) {
      continue;
    }
    const auto& wait = *static_cast<const PhaseWait*>(condition.state);
    if (wait.barrier == &barrier && wait.is_over()) {
      condition.is_ready = nullptr;
      --block.waiting_predicates;
      make_ready(warp_number(thread), bit_of(thread));
    }
  }
}

void end_phase_if_complete(Mbarrier& barrier) {
  if (barrier.pending == 0 && barrier.bytes == 0) {
    barrier.parity ^= 1;
    barrier.pending = barrier.arrivals;
    note_block_barrier();
  }
}

void carry_out(const BulkCopy& copy) {
  memcpy(copy.shared, copy.global, copy.bytes);
  copy.barrier->bytes -= static_cast<int32_t>(copy.bytes);
  end_phase_if_complete(*copy.barrier);
}

void carry_out_for(const Mbarrier* barrier) {
  size_t kept = 0;
  for (const BulkCopy& copy : *under_way) {
    if (copy.barrier == barrier) {
      carry_out(copy);
    } else {
      (*under_way)[kept++] = copy;
    }
  }
  under_way->resize(kept);
}

bool phase_has_ended(void* state) {
  const auto& wait = *static_cast<const PhaseWait*>(state);
  carry_out_for(wait.barrier);
  land_cluster_stores(wait.barrier);
  return wait.is_over();
}

bool is_aligned(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer) % kUnit == 0; }

}  // namespace

void forget_bulk_copies() { under_way->clear(); }

void use_bulk_copies_of_member(unsigned int rank) { under_way = &of_members[rank]; }

void use_bulk_copies_of_lone_block() { under_way = &of_lone_block; }

void require_mbarrier(void* barrier, const char* file, int line) { initialised(barrier, file, line); }

void count_stored_bytes(void* memory, uint32_t bytes) {
  auto& barrier = *static_cast<Mbarrier*>(memory);
  barrier.bytes -= static_cast<int32_t>(bytes);
  end_phase_if_complete(barrier);
}

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

void stitch_mbarrier_init(void* memory, int arrivals, const char* file, int line) {
  if (arrivals < 1 || arrivals > kMostArrivals) {
    fault("an mbarrier expects 1 to 1024 arrivals", file, line);
  }
  const auto count = static_cast<uint16_t>(arrivals);
  *static_cast<Mbarrier*>(memory) = {count, count, 0, 0};
}

void stitch_mbarrier_arrive(void* memory, uint32_t bytes, const char* file, int line) {
  Mbarrier& barrier = initialised(memory, file, line);
  if (barrier.pending == 0) {
    fault("more threads arrive at an mbarrier than a phase of it expects", file, line);
  }
  barrier.bytes += static_cast<int32_t>(bytes);
  --barrier.pending;
  end_phase_if_complete(barrier);
  wake_waiting(barrier);
}

void stitch_mbarrier_wait(void* memory, uint32_t parity, const char* file, int line) {
  PhaseWait wait{&initialised(memory, file, line), parity & 1u};
  stitch_wait_until(phase_has_ended, &wait, "an mbarrier", file, line);
}

void stitch_bulk_copy(void* shared, const void* global, uint32_t bytes, void* memory, const char* file, int line) {
  if (bytes % kUnit != 0 || !is_aligned(shared) || !is_aligned(global)) {
    fault("a bulk copy needs both addresses and its size to be multiples of 16 bytes", file, line);
  }
  const BulkCopy copy{shared, global, bytes, &initialised(memory, file, line)};
  counts.async_copies += bytes / kUnit;
  note_bulk_copy(global, bytes);
  if (block.random != 0 && random_bits() % 2 == 0) {
    carry_out(copy);
    wake_waiting(*copy.barrier);
  } else {
    under_way->push_back(copy);
  }
}

}  // extern "C"
