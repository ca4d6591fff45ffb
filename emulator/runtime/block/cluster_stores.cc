// SPDX-License-Identifier: Apache-2.0
// Loads from and stores to the shared memory of other blocks of a cluster. An address is a rank and a shared-memory
// address.
#include <cstdio>
#include <cstring>
#include <vector>

#include "block/cluster.h"
#include "block/cluster_memory.h"
#include "block/mbarrier.h"
#include "block/shared.h"
#include "block/state.h"
#include "fault/fault.h"
#include "stitch_emulator/cluster.h"
#include "stitch_emulator/memory.h"
#include "updates/order.h"

namespace stitch_emulator {
namespace {

constexpr int kRankShift = 24;
constexpr uint32_t kMaxStoreBytes = 16;
constexpr const char* kStore = "a store to";
constexpr const char* kLoad = "a load from";

struct Store {
  unsigned int rank;
  uint32_t offset;
  uint32_t count;
  uint32_t barrier;
  char bytes[kMaxStoreBytes];
};

std::vector<Store> under_way;

uint32_t offset_of(uint32_t address) { return address & ((1u << kRankShift) - 1); }

// The block whose memory is at `address`, when it may be reached. `access`: "a store to".
unsigned int target_of(const char* access, uint32_t address, uint32_t count, const char* file, int line) {
  const unsigned int rank = address >> kRankShift;
  char message[256];
  if (!in_cluster) {
    snprintf(message, sizeof(message), "%s a cluster's memory in a kernel that was launched without clusters", access);
    fault(message, file, line);
  }
  if (rank >= stitch_cluster_blocks() || !is_shared_range(offset_of(address), count) || address % count != 0) {
    snprintf(message, sizeof(message), "%s a cluster's memory leads beyond what its blocks declare, or is not aligned",
             access);
    fault(message, file, line);
  }
  if (!cluster_has_met()) {
    snprintf(message, sizeof(message),
             "%s the shared memory of block %u of the cluster before the first barrier of the cluster: that block may "
             "not run yet",
             access, rank);
    fault(message, file, line);
  }
  if (member_has_ended(rank)) {
    snprintf(
        message, sizeof(message),
        "%s the shared memory of block %u of the cluster, which has left the kernel; blocks that others reach must "
        "wait for them before they leave",
        access, rank);
    fault(message, file, line);
  }
  return rank;
}

void write(unsigned int rank, uint32_t offset, const void* bytes, uint32_t count) {
  void* memory = member_memory(rank, offset);
  memcpy(memory, bytes, count);
  forget_reads(memory, count);
}

void land(const Store& store) {
  write(store.rank, store.offset, store.bytes, store.count);
  count_stored_bytes(member_memory(store.rank, store.barrier), store.count);
}

}  // namespace

void forget_cluster_stores() { under_way.clear(); }

bool has_cluster_stores(unsigned int rank) {
  for (const Store& store : under_way) {
    if (store.rank == rank) {
      return true;
    }
  }
  return false;
}

void land_cluster_stores(const void* barrier) {
  if (under_way.empty()) {
    return;
  }
  const unsigned int rank = stitch_cluster_rank();
  size_t kept = 0;
  for (const Store& store : under_way) {
    if (store.rank == rank && stitch_shared_pointer(store.barrier) == barrier) {
      land(store);
    } else {
      under_way[kept++] = store;
    }
  }
  under_way.resize(kept);
}

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

uint32_t stitch_cluster_address(const void* shared, uint32_t rank, const char* file, int line) {
  if (rank >= stitch_cluster_blocks()) {
    char message[128];
    snprintf(message, sizeof(message), "block %u was addressed in a cluster of %u blocks", rank,
             stitch_cluster_blocks());
    fault(message, file, line);
  }
  return rank << kRankShift | stitch_shared_offset(shared, file, line);
}

void stitch_cluster_store(uint32_t address, const void* bytes, uint32_t count, const char* file, int line) {
  write(target_of(kStore, address, count, file, line), offset_of(address), bytes, count);
}

void stitch_cluster_load(uint32_t address, void* bytes, uint32_t count, const char* file, int line) {
  const unsigned int rank = target_of(kLoad, address, count, file, line);
  memcpy(bytes, member_memory(rank, offset_of(address)), count);
}

void stitch_cluster_store_async(uint32_t address, const void* bytes, uint32_t count, uint32_t barrier, const char* file,
                                int line) {
  const unsigned int rank = target_of(kStore, address, count, file, line);
  if (target_of(kStore, barrier, sizeof(uint64_t), file, line) != rank) {
    fault("an asynchronous store and the mbarrier that counts it lie in different blocks of the cluster", file, line);
  }
  require_mbarrier(member_memory(rank, offset_of(barrier)), file, line);
  Store store{rank, offset_of(address), count, offset_of(barrier), {}};
  memcpy(store.bytes, bytes, count);
  if (block.random != 0 && random_bits() % 2 == 0) {
    land(store);
  } else {
    under_way.push_back(store);
  }
}

}  // extern "C"
