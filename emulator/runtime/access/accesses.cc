// SPDX-License-Identifier: Apache-2.0
#include "access/accesses.h"

#ifdef STITCH_EMULATOR_COUNTED

#include <algorithm>
#include <cmath>

#include "access/device_places.h"
#include "access/distinct_bytes.h"
#include "access/first_cache.h"
#include "access/instructions.h"
#include "access/waits.h"
#include "block/shared.h"
#include "stitch_emulator/count.h"

namespace stitch_emulator {
namespace {

constexpr uint32_t kMaxBytes = 16;  // of one lane's access
constexpr uint32_t kWavefrontBytes = kBanks * kBankBytes;

stitch_emulator_accesses sums;
DistinctBytes bytes_read;
DistinctBytes bytes_written;
Instructions instructions;
FirstCache first_cache;
Waits waits;
double memory_waits = 0;
size_t dynamic_shared_bytes = 0;
size_t known_shared_bytes = 0;  // that the cache leaves room for
bool is_first_block = false;
int uncounted = 0;
thread_local bool launches_now = false;  // the host's other threads are compiled alike

void close_global(const Instruction& instruction, const WarpAccess& access) {
  if (instruction.kind == AccessKind::kAtomic) {
    sums.atomics += static_cast<uint64_t>(__builtin_popcount(access.lanes));
    sums.atomic_sectors += atomic_sectors_of(access);
    return;
  }
  uint32_t list[kWarpSize];
  const uint32_t sectors = sectors_of(access, list);
  const bool reads = instruction.kind == AccessKind::kRead;
  for (uint32_t i = 0; reads && i < sectors; ++i) {
    sums.sectors_missed += first_cache.read(access.warp, list[i]) ? 0 : 1;
  }
  (reads ? sums.sectors_read : sums.sectors_written) += sectors;
  (reads ? sums.requests_read : sums.requests_written) += 1;
}

void close_access(const Instruction& instruction, const WarpAccess& access) {
  if (instruction.target == Target::kGlobal) {
    close_global(instruction, access);
    return;
  }
  const bool updates = instruction.kind == AccessKind::kAtomic;
  sums.shared_atomics += updates ? static_cast<uint64_t>(__builtin_popcount(access.lanes)) : 0;
  sums.wavefronts += updates ? atomic_wavefronts_of(access) : wavefronts_of(access);
  sums.shared_requests += 1;
}

void add_distinct(uint64_t address, uint32_t bytes, AccessKind kind) {
  if (kind != AccessKind::kWrite) {
    bytes_read.add(address, bytes);
  }
  if (kind != AccessKind::kRead) {
    bytes_written.add(address, bytes);
  }
}

// The largest piece that a lane can access at once from there.
uint32_t piece_at(uint64_t address, size_t bytes) {
  uint32_t piece = kMaxBytes;
  while (piece > bytes || address % piece != 0) {
    piece /= 2;
  }
  return piece;
}

void note_piece(const DevicePlace& place, uint32_t bytes, AccessKind kind, uint64_t key, Waits* of_whom) {
  const bool is_global = place.space == Space::kGlobal;
  if (is_global) {
    add_distinct(place.address, bytes, kind);
  }
  const Target target = is_global ? Target::kGlobal : Target::kShared;
  const uint64_t whole = key << 8 | static_cast<uint64_t>(kind) << 6 | static_cast<uint64_t>(target) << 5 | bytes;
  const uint64_t at = is_global ? place.address / kSectorBytes : place.address;
  instructions.note(whole, kind, target, bytes, static_cast<uint32_t>(at), of_whom, close_access);
}

void note_pieces(const void* address, size_t bytes, AccessKind kind, uintptr_t place, Waits* of_whom) {
  if (!launches_now || !in_block || uncounted != 0) {
    return;
  }
  constexpr unsigned kPieceShift = 48;  // above the bits of an address
  DevicePlace at = place_on_device(reinterpret_cast<uintptr_t>(address));
  if (at.space == Space::kElsewhere) {
    return;
  }
  for (uint64_t piece_number = 0; bytes > 0; ++piece_number) {
    const uint32_t piece = piece_at(at.address, bytes);
    note_piece(at, piece, kind, place ^ piece_number << kPieceShift, of_whom);
    at.address += piece;
    bytes -= piece;
  }
}

bool is_first_lane() { return launches_now && in_block && lane_number(block.current) == 0; }

}  // namespace

void begin_launch_accesses(size_t dynamic_shared) {
  launches_now = true;
  uncounted = 0;
  sums = {};
  memory_waits = 0;
  dynamic_shared_bytes = dynamic_shared;
  is_first_block = true;
  bytes_read.forget();
  bytes_written.forget();
  forget_device_places();
}

stitch_emulator_accesses end_launch_accesses() {
  launches_now = false;
  sums.bytes_read = bytes_read.count();
  sums.bytes_written = bytes_written.count();
  sums.memory_waits = static_cast<uint64_t>(std::ceil(memory_waits));
  return sums;
}

void begin_block_accesses() {
  // What a kernel declares is known when its first block has met it.
  const size_t shared_bytes = dynamic_shared_bytes + declared_shared_bytes();
  if (is_first_block || shared_bytes != known_shared_bytes) {
    first_cache.begin_launch(block.thread_count, shared_bytes);
    known_shared_bytes = shared_bytes;
    is_first_block = false;
  }
  first_cache.begin_block();
  instructions.begin_block();
  waits.begin_block();
}

void end_block_accesses() {
  instructions.end_block(close_access);
  memory_waits += waits.longest_memory();
  sums.shared_waits += waits.longest_shared();
}

void note_access(const void* address, size_t bytes, AccessKind kind, uintptr_t place) {
  note_pieces(address, bytes, kind, place, &waits);
}

void note_async_copy(const void* global, size_t global_bytes, const void* shared, size_t shared_bytes,
                     uintptr_t place) {
  note_pieces(global, global_bytes, AccessKind::kRead, place, nullptr);
  note_pieces(shared, shared_bytes, AccessKind::kWrite, place, nullptr);
  if (is_first_lane()) {
    waits.start_copy(warp_number(block.current));
  }
}

void note_async_commit() {
  if (is_first_lane()) {
    waits.commit_copies(warp_number(block.current));
  }
}

void note_async_wait(int pending) {
  if (is_first_lane()) {
    waits.wait_for_copies(warp_number(block.current), pending);
  }
}

void note_block_meeting() { waits.use_all(); }

void note_warp_meeting(unsigned int warp) { waits.use(warp); }

void note_bulk_copy(const void* global, size_t bytes) {
  DevicePlace at = place_on_device(reinterpret_cast<uintptr_t>(global));
  sums.wavefronts += (bytes + kWavefrontBytes - 1) / kWavefrontBytes;
  if (at.space != Space::kGlobal) {
    return;
  }
  sums.requests_read += 1;
  const uint64_t sectors = (at.address + bytes - 1) / kSectorBytes - at.address / kSectorBytes + 1;
  sums.sectors_read += sectors;
  sums.sectors_missed += sectors;
  while (bytes > 0) {
    const uint32_t piece = piece_at(at.address, bytes);
    bytes_read.add(at.address, piece);
    at.address += piece;
    bytes -= piece;
  }
}

void note_shared_operand(size_t bytes) { sums.wavefronts += (bytes + kWavefrontBytes - 1) / kWavefrontBytes; }

void note_matrix_flops(int pipe, uint64_t flops) {
  (pipe == STITCH_TF32_PIPE ? sums.tf32_flops : sums.half_flops) += flops;
  sums.group_flops += pipe == STITCH_GROUP_PIPE ? flops : 0;
}

Uncounted::Uncounted() { ++uncounted; }
Uncounted::~Uncounted() { --uncounted; }

}  // namespace stitch_emulator

#endif
