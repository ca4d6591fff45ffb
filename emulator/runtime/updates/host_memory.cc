// SPDX-License-Identifier: Apache-2.0
#include "updates/host_memory.h"

#ifdef __SANITIZE_ADDRESS__

#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <set>

#include "block/state.h"
#include "fault/fault.h"

// Of sanitizer/allocator_interface.h, which g++ does not install.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void*, size_t),
                                                         void (*released)(const volatile void*));

namespace stitch_emulator {
namespace {

struct Piece {
  uintptr_t start = 0;
  uintptr_t end = 0;
};

// Pieces that kernels may access. One that meets another in its row takes its place.
constexpr size_t kPieces = 1024;
constexpr unsigned kPieceShift = 8;
Piece known[kPieces];
// The same pieces once more, few and whole: of one that is larger than `known` has rows for, each row is met anew, and
// to ask AddressSanitizer takes a hundred times as long as to look through these.
constexpr size_t kLocated = 64;
Piece located[kLocated];
size_t located_count = 0;  // since the launch began; the oldest make room
uintptr_t arguments = 0;   // of the running kernel
pthread_t kernels_thread;

Piece& piece_of(uintptr_t address) { return known[(address >> kPieceShift) % kPieces]; }

bool holds(const Piece& piece, uintptr_t address) { return address >= piece.start && address < piece.end; }

const Piece* find_located(uintptr_t address) {
  for (size_t i = 0; i < std::min(located_count, kLocated); ++i) {
    if (holds(located[i], address)) {
      return &located[i];
    }
  }
  return nullptr;
}

// Memory of malloc() or new in a kernel is the device's. The set outlives all that is released when a process ends.
std::set<const void*>& made_in_kernels() {
  static auto& made = *new std::set<const void*>();
  return made;
}
std::mutex made_in_kernels_lock;      // other threads of the host release memory, too
thread_local bool is_noting = false;  // what the set itself allocates is none of it

void note_allocation(const volatile void* memory, size_t) {
  if (in_block && !is_noting) {
    is_noting = true;
    const std::lock_guard lock(made_in_kernels_lock);
    made_in_kernels().insert(const_cast<const void*>(memory));
    is_noting = false;
  }
}

void note_release(const volatile void* memory) {
  if (!is_noting) {
    is_noting = true;
    const std::lock_guard lock(made_in_kernels_lock);
    made_in_kernels().erase(const_cast<const void*>(memory));
    is_noting = false;
  }
}

bool is_made_in_kernels(const void* start) {
  const std::lock_guard lock(made_in_kernels_lock);
  return made_in_kernels().count(start) > 0;
}

[[maybe_unused]] const bool is_installed =
    __sanitizer_install_malloc_and_free_hooks(&note_allocation, &note_release) != 0;

[[noreturn]] void report_host_memory(uintptr_t program_counter) {
  char location[512];
  __sanitizer_symbolize_pc(reinterpret_cast<void*>(program_counter), "%s:%l", location, sizeof(location));
  char* colon = strrchr(location, ':');
  const int line = colon == nullptr ? 0 : atoi(colon + 1);
  if (colon != nullptr) {
    *colon = '\0';
  }
  host_fault("a kernel accesses memory of the host, which a GPU cannot reach: it was neither pinned nor registered",
             line > 0 ? location : nullptr, line);
}

}  // namespace

void begin_launch_host_memory(const void* closure) {
  std::fill(std::begin(known), std::end(known), Piece{});
  located_count = 0;
  arguments = reinterpret_cast<uintptr_t>(closure);
  kernels_thread = pthread_self();
}

void check_host_memory(const void* address, uintptr_t program_counter) {
  const auto number = reinterpret_cast<uintptr_t>(address);
  Piece& piece = piece_of(number);
  if (holds(piece, number)) {
    return;
  }
  if (pthread_equal(pthread_self(), kernels_thread) == 0) {
    return;  // the host's own code, beside the kernel
  }
  if (const Piece* const found = find_located(number); found != nullptr) {
    piece = *found;
    return;
  }
  char name[8];
  void* start = nullptr;
  size_t bytes = 0;
  const char* const kind = __asan_locate_address(const_cast<void*>(address), name, sizeof(name), &start, &bytes);
  const auto first = reinterpret_cast<uintptr_t>(start);
  const bool holds_arguments = arguments >= first && arguments < first + bytes;
  if (strcmp(kind, "heap") == 0 && !holds_arguments && !is_kernels_memory(start) && !is_registered(address) &&
      !is_made_in_kernels(start)) {
    report_host_memory(program_counter);
  }
  if (start != nullptr && number >= first && number < first + bytes) {
    piece = {first, first + bytes};
    located[located_count++ % kLocated] = piece;
  } else {
    piece = {number & ~uintptr_t{255}, (number | 255) + 1};
  }
}

}  // namespace stitch_emulator

#endif
