// SPDX-License-Identifier: Apache-2.0
#include "access/device_places.h"

#ifdef STITCH_EMULATOR_COUNTED

#include <link.h>

#include <vector>

#include "api/state.h"
#include "block/shared.h"
#include "control/lent.h"
#include "fiber/fiber.h"

namespace stitch_emulator {
namespace {

constexpr uint64_t kPage = 4096;

struct Piece {
  uintptr_t start = 0;
  uintptr_t bytes = 0;
  uint64_t device = 0;  // of its first byte
  Space space = Space::kElsewhere;
};

std::vector<Piece> pieces;
Piece last;
uint64_t next_free = kPage;

struct Variables {
  uintptr_t address = 0;
  MemoryPiece found{};
};

// The writable variables of a library that was loaded: __device__ ones among them. Not those of the program itself,
// which are the emulator's.
int find_variables(dl_phdr_info* info, size_t, void* state) {
  auto& wanted = *static_cast<Variables*>(state);
  if (info->dlpi_name == nullptr || info->dlpi_name[0] == '\0') {
    return 0;
  }
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const uintptr_t start = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0 && wanted.address >= start &&
        wanted.address < start + segment.p_memsz) {
      wanted.found = {reinterpret_cast<const char*>(start), segment.p_memsz};
      return 1;
    }
  }
  return 0;
}

MemoryPiece find_memory(uintptr_t address) {
  const auto* pointer = reinterpret_cast<const void*>(address);
  for (const MemoryPiece& piece : {lent_piece(pointer), allocated_piece(pointer)}) {
    if (piece.start != nullptr) {
      return piece;
    }
  }
  Variables wanted{address};
  dl_iterate_phdr(find_variables, &wanted);
  return wanted.found;
}

// What is nowhere is remembered page by page.
Piece look_up(uintptr_t address) {
  const MemoryPiece memory = find_memory(address);
  if (memory.start == nullptr) {
    return {address / kPage * kPage, kPage, 0, Space::kElsewhere};
  }
  const Piece piece{reinterpret_cast<uintptr_t>(memory.start), memory.bytes, next_free, Space::kGlobal};
  next_free += (memory.bytes + kPage - 1) / kPage * kPage;
  return piece;
}

const Piece& piece_of(uintptr_t address) {
  if (address - last.start < last.bytes) {
    return last;
  }
  for (const Piece& piece : pieces) {
    if (address - piece.start < piece.bytes) {
      return last = piece;
    }
  }
  pieces.push_back(look_up(address));
  return last = pieces.back();
}

}  // namespace

DevicePlace place_on_device(uintptr_t address) {
  const uint64_t shared = shared_place(address);
  if (shared != kNotShared) {
    return {Space::kShared, shared};
  }
  if (address - stacks.start < stacks.bytes) {
    return {};
  }
  const Piece& piece = piece_of(address);
  return {piece.space, piece.device + (address - piece.start)};
}

void forget_device_places() {
  pieces.clear();
  last = {};
  next_free = kPage;
}

}  // namespace stitch_emulator

#endif
