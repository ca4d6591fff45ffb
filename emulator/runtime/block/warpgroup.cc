// SPDX-License-Identifier: Apache-2.0
#include "stitch_emulator/warpgroup.h"

#include <array>
#include <memory>
#include <vector>

#include "access/accesses.h"
#include "block/cluster.h"
#include "block/switching.h"
#include "block/warpgroup.h"
#include "fault/fault.h"
#include "updates/order.h"

namespace stitch_emulator {
namespace {

constexpr int kGroupWarps = kGroupThreads / kWarpSize;
constexpr int kMaxGroups = kMaxThreads / kGroupThreads;

// What a thread has issued and nobody has carried out, and where its committed groups end.
struct Shares {
  std::vector<GroupProduct> products;
  std::vector<size_t> group_ends;
  bool fenced = false;
};

struct Meeting {
  int arrived = 0;
  int pending = 0;
};

struct BlockProducts {
  Shares shares[kMaxThreads];
  Meeting meetings[kMaxGroups];
  bool any_used = false;
};

BlockProducts of_lone_block;
std::array<std::unique_ptr<BlockProducts>, kMaxClusterBlocks> of_members;  // made when a cluster needs them
BlockProducts* running = &of_lone_block;
// The product that is being carried out. No memory of the device, which the heap would be taken for.
GroupProduct carried_out[kGroupThreads];

void check_same(const GroupProduct& one, const GroupProduct& other, const char* file, int line) {
  if (one.body != other.body || one.a != other.a || one.b != other.b || one.accumulate != other.accumulate) {
    fault("the threads of a warpgroup issue different products", file, line);
  }
}

void carry_out(int first_thread, size_t index, const char* file, int line) {
  const GroupProduct* threads[kGroupThreads];
  for (int i = 0; i < kGroupThreads; ++i) {
    carried_out[i] = running->shares[first_thread + i].products[index];
    threads[i] = &carried_out[i];
    check_same(*threads[0], *threads[i], file, line);
  }
  const Uncounted uncounted;
  threads[0]->body(threads);
}

// All threads of the group are here: carries out all but the youngest `pending` groups.
void carry_out_groups(int first_thread, int pending, const char* file, int line) {
  const std::vector<size_t> ends = running->shares[first_thread].group_ends;
  for (int i = 0; i < kGroupThreads; ++i) {
    if (running->shares[first_thread + i].group_ends != ends) {
      fault("the threads of a warpgroup have issued different numbers of products", file, line);
    }
  }
  const bool early = block.random != 0 && random_bits() % 2 == 0;
  const size_t keep = early ? 0 : static_cast<size_t>(pending);
  if (ends.size() <= keep) {
    return;
  }
  const size_t groups = ends.size() - keep;
  const size_t products = ends[groups - 1];
  for (size_t index = 0; index < products; ++index) {
    carry_out(first_thread, index, file, line);
  }
  for (int i = 0; i < kGroupThreads; ++i) {
    Shares& own = running->shares[first_thread + i];
    own.products.erase(own.products.begin(), own.products.begin() + static_cast<long>(products));
    own.group_ends.erase(own.group_ends.begin(), own.group_ends.begin() + static_cast<long>(groups));
    for (size_t& end : own.group_ends) {
      end -= products;
    }
  }
}

}  // namespace

void forget_group_products() {
  if (!running->any_used) {
    return;
  }
  running->any_used = false;
  for (Shares& each : running->shares) {
    each.products.clear();
    each.group_ends.clear();
    each.fenced = false;
  }
  for (Meeting& each : running->meetings) {
    each = {};
  }
}

void use_group_products_of_member(unsigned int rank) {
  if (of_members[rank] == nullptr) {
    of_members[rank] = std::make_unique<BlockProducts>();
  }
  running = of_members[rank].get();
}

void use_group_products_of_lone_block() { running = &of_lone_block; }

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

void stitch_group_fence() { running->shares[block.current].fenced = true; }

void stitch_group_product(const GroupProduct* share, const char* file, int line) {
  Shares& own = running->shares[block.current];
  if (!own.fenced) {
    fault("a product of a warpgroup was issued with no fence since the last wait", file, line);
  }
  running->any_used = true;
  own.products.push_back(*share);
}

void stitch_group_commit() {
  Shares& own = running->shares[block.current];
  own.group_ends.push_back(own.products.size());
}

void stitch_group_wait(int pending, const char* file, int line) {
  const int first_thread = block.current / kGroupThreads * kGroupThreads;
  Meeting& meeting = running->meetings[first_thread / kGroupThreads];
  if (first_thread + kGroupThreads > block.thread_count) {
    fault("a warpgroup has 128 threads", file, line);
  }
  if (meeting.arrived != 0 && meeting.pending != pending) {
    fault("the threads of a warpgroup wait for different products", file, line);
  }
  running->shares[block.current].fenced = false;
  meeting.pending = pending;
  if (++meeting.arrived < kGroupThreads) {
    suspend("products of its warpgroup", file, line);
    return;
  }
  meeting.arrived = 0;
  carry_out_groups(first_thread, pending, file, line);
  note_block_barrier();
  const unsigned int first_warp = warp_number(first_thread);
  for (unsigned int warp = first_warp; warp < first_warp + kGroupWarps; ++warp) {
    make_ready(warp, warp == warp_number(block.current) ? kFullMask & ~bit_of(block.current) : kFullMask);
  }
}

}  // extern "C"
