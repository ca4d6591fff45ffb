// SPDX-License-Identifier: Apache-2.0
#include "block/cluster.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>

#include "access/accesses.h"
#include "block/async_copy.h"
#include "block/cluster_memory.h"
#include "block/mbarrier.h"
#include "block/shared.h"
#include "block/state.h"
#include "block/switching.h"
#include "block/variables.h"
#include "block/warpgroup.h"
#include "control/counts.h"
#include "fault/fault.h"
#include "fiber/fiber.h"
#include "stitch_emulator/cluster.h"
#include "stitch_emulator/memory.h"
#include "stitch_emulator/synchronise.h"
#include "updates/order.h"

namespace stitch_emulator {
namespace {

// A thread's arrival at the barrier that it has not waited for.
struct Arrival {
  bool is_open;
  uint32_t phase;
};

struct Member {
  unsigned int rank;
  uint3 index;
  uint64_t number;
  bool has_started;
  bool has_ended;
  bool is_stuck;  // since the last thread of another block ran
  Block saved;
  SharedImage shared;
  Arrival arrivals[kMaxThreads];
};

// All threads that have not ended meet at its one barrier.
struct Cluster {
  unsigned int count = 0;
  unsigned int current = 0;
  int live = 0;
  int arrived = 0;
  uint32_t phase = 0;
};

std::array<std::unique_ptr<Member>, kMaxClusterBlocks> members;  // made when a cluster needs them
Cluster cluster;

// All of a block but what it shares with the others.
void copy_block(Block& to, const Block& from) {
  const uint64_t random = block.random;
  memcpy(static_cast<void*>(&to), &from, offsetof(Block, warps));
  memcpy(to.warps, from.warps, sizeof(Warp) * block.warp_count);
  memcpy(static_cast<void*>(to.meetings), from.meetings, sizeof(WarpMeetings) * block.warp_count);
  memcpy(static_cast<void*>(to.lanes), from.lanes, sizeof(Lane) * static_cast<size_t>(block.thread_count));
  memcpy(static_cast<void*>(to.conditions), from.conditions,
         sizeof(Condition) * static_cast<size_t>(block.thread_count));
  block.random = random;
}

void begin_member(Member& member) {
  current_block_index = member.index;
  cluster.current = member.rank;
  use_group_products_of_member(member.rank);
  use_bulk_copies_of_member(member.rank);
  use_async_copies_of_member(member.rank);
  if (member.has_started) {
    copy_block(block, member.saved);
    load_shared(member.shared);
    resume_block_updates(member.number);
  } else {
    refill_shared();
    begin_block_updates(member.number);
    ++counts.blocks;
  }
  begin_block_accesses();
}

void end_member(Member& member) {
  member.has_started = true;
  if (member.has_ended) {
    end_block_updates();
  } else {
    copy_block(member.saved, block);
    save_shared(member.shared);
    suspend_block_updates();
  }
  end_block_accesses();
}

// The members that may go on, as bits.
uint32_t candidates() {
  uint32_t bits = 0;
  for (unsigned int rank = 0; rank < cluster.count; ++rank) {
    bits |= static_cast<uint32_t>(!members[rank]->has_ended && !members[rank]->is_stuck) << rank;
  }
  return bits;
}

// In order, the one after the last that ran.
unsigned int choose_member(uint32_t bits) {
  if (block.random != 0) {
    return static_cast<unsigned int>(choose_at_random(bits));
  }
  const uint32_t later = bits & ~((2u << cluster.current) - 1);
  return static_cast<unsigned int>(__builtin_ctz(later != 0 ? later : bits));
}

int ended_members() {
  int ended = 0;
  for (unsigned int rank = 0; rank < cluster.count; ++rank) {
    ended += members[rank]->has_ended;
  }
  return ended;
}

// Every block that has not ended waits for what no other will do.
void report_stuck_cluster() {
  for (unsigned int rank = 0; rank < cluster.count; ++rank) {
    if (members[rank]->has_ended) {
      continue;
    }
    begin_member(*members[rank]);
    int thread = 0;
    while ((warp_of(thread).ended & bit_of(thread)) != 0) {
      ++thread;
    }
    set_current(thread);
    char message[640];
    describe_waiting(message, sizeof(message));
    const size_t length = strlen(message);
    snprintf(message + length, sizeof(message) - length, "; no other of its cluster's %u blocks can, %d have ended",
             cluster.count, ended_members());
    report_fault(message, block.lanes[thread].file, block.lanes[thread].line);
    return;
  }
}

// Whether the member's part went well.
bool run_member(const KernelCall& call, Member& member) {
  begin_member(member);
  const BlockPart part = member.has_started ? resume_block_of_cluster() : start_block_of_cluster(call);
  if (part == BlockPart::kFaulted) {
    return false;
  }
  member.has_ended = part == BlockPart::kEnded;
  if (part != BlockPart::kNothingRuns) {
    for (unsigned int rank = 0; rank < cluster.count; ++rank) {
      members[rank]->is_stuck = false;
    }
  }
  member.is_stuck = part == BlockPart::kNothingRuns;
  end_member(member);
  if (member.has_ended && has_cluster_stores(cluster.current)) {
    report_fault(
        "a block of a cluster leaves the kernel while stores of others to its shared memory are under way; it must "
        "wait for them first",
        call.file, call.line);
    return false;
  }
  return true;
}

void prepare_members(dim3 shape, uint3 first) {
  cluster = {shape.x * shape.y * shape.z, 0, 0, 0, 0};
  cluster.live = static_cast<int>(cluster.count) * block.thread_count;
  cluster.current = cluster.count - 1;
  forget_cluster_stores();
  for (unsigned int rank = 0; rank < cluster.count; ++rank) {
    if (members[rank] == nullptr) {
      members[rank] = std::make_unique<Member>();
    }
    Member& member = *members[rank];
    member.rank = rank;
    member.index = {first.x + rank % shape.x, first.y + rank / shape.x % shape.y, first.z + rank / shape.x / shape.y};
    const dim3 grid = current_grid_shape;
    member.number = member.index.x + uint64_t{grid.x} * (member.index.y + uint64_t{grid.y} * member.index.z);
    member.has_started = member.has_ended = member.is_stuck = false;
    memset(member.arrivals, 0, sizeof(member.arrivals));
  }
}

void open_barrier_if_complete() {
  if (cluster.arrived == cluster.live) {
    ++cluster.phase;
    cluster.arrived = 0;
    note_block_barrier();
    note_block_meeting();
  }
}

Arrival& own_arrival() { return members[cluster.current]->arrivals[block.current]; }

bool phase_is_over(void* state) { return static_cast<const Arrival*>(state)->phase != cluster.phase; }

void require_cluster(const char* file, int line) {
  if (!inside_block()) {
    host_fault("a barrier of a cluster was used outside a kernel", file, line);
  }
  if (!in_cluster) {
    fault("a barrier of a cluster was used in a kernel that was launched without clusters", file, line);
  }
}

}  // namespace

bool run_cluster(const KernelCall& call, dim3 shape, uint3 first) {
  prepare_members(shape, first);
  bool goes_well = reserve_fibers(static_cast<int>(cluster.count * block.thread_count));
  if (!goes_well) {
    record_fault("there is no memory for the stacks of a cluster's threads", call.file, call.line);
  }
  in_cluster = true;
  while (goes_well && ended_members() != static_cast<int>(cluster.count)) {
    const uint32_t bits = candidates();
    if (bits == 0) {
      report_stuck_cluster();
      goes_well = false;
    } else {
      goes_well = run_member(call, *members[choose_member(bits)]);
    }
  }
  in_cluster = false;
  use_group_products_of_lone_block();
  use_bulk_copies_of_lone_block();
  use_async_copies_of_lone_block();
  forget_cluster_stores();
  if (!goes_well) {
    abandon_fibers();
  }
  return goes_well;
}

void note_end_of_cluster_thread(int thread) {
  const Arrival& arrival = members[cluster.current]->arrivals[thread];
  cluster.arrived -= arrival.is_open && arrival.phase == cluster.phase;
  --cluster.live;
  if (cluster.arrived != 0) {
    open_barrier_if_complete();
  }
}

bool cluster_has_met() { return cluster.phase != 0; }

unsigned int cluster_current() { return cluster.current; }

bool member_has_ended(unsigned int rank) { return members[rank]->has_ended; }

void* member_memory(unsigned int rank, uint32_t offset) {
  return rank == cluster.current ? stitch_shared_pointer(offset) : members[rank]->shared.bytes.data() + offset;
}

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

uint32_t stitch_cluster_rank() { return in_cluster ? cluster.current : 0; }

uint32_t stitch_cluster_blocks() { return in_cluster ? cluster.count : 1; }

void stitch_cluster_arrive(const char* file, int line) {
  require_cluster(file, line);
  Arrival& arrival = own_arrival();
  if (arrival.is_open) {
    fault("a thread arrives at the barrier of its cluster twice without waiting", file, line);
  }
  arrival = {true, cluster.phase};
  ++cluster.arrived;
  open_barrier_if_complete();
}

void stitch_cluster_wait(const char* file, int line) {
  require_cluster(file, line);
  Arrival& arrival = own_arrival();
  if (!arrival.is_open) {
    fault("a thread waits at the barrier of its cluster without having arrived", file, line);
  }
  stitch_wait_until(phase_is_over, &arrival, "the barrier of its cluster", file, line);
  arrival.is_open = false;
}

}  // extern "C"
