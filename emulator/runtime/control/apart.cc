// SPDX-License-Identifier: Apache-2.0
#include "control/apart.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "control/counts.h"
#include "control/launch_ledger.h"
#include "fault/fault.h"

namespace stitch_emulator {
namespace {

// A program that waits for a kernel which is left out must not wait for ever.
constexpr uint64_t kMaxLeftOut = 100000;
// Whoever sets byte by byte what he knows does not merely move it.
constexpr uint64_t kMaxSets = 256;

std::recursive_mutex apart_mutex;
std::atomic<bool> was_ever_apart{false};
std::atomic<int> left_out{STITCH_EMULATOR_ALL};
std::atomic<uint64_t> times_left_out{0};
std::atomic<uint64_t> sets{0};  // since then
std::atomic<bool> leaves_one_out{false};
stitch_emulator_launches one_left_out;
bool is_apart = false;
int users = 0;

std::vector<stitch_emulator_range>& lent() {
  static std::vector<stitch_emulator_range> ranges;
  return ranges;
}
std::map<char*, size_t>& own() {
  static std::map<char*, size_t> blocks;
  return blocks;
}

size_t whole_pages(size_t bytes) {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

void set_rights(int rights) {
  for (const stitch_emulator_range& range : lent()) {
    mprotect(range.start, whole_pages(range.bytes), rights);
  }
  for (const auto& [start, bytes] : own()) {
    mprotect(start, whole_pages(bytes), rights);
  }
}

bool lies_in(const void* address, const void* start, size_t bytes) {
  const auto* byte = static_cast<const char*>(address);
  const auto* first = static_cast<const char*>(start);
  return byte >= first && byte < first + whole_pages(bytes);
}

bool leave_out_now() {
  if (times_left_out.fetch_add(1) > kMaxLeftOut) {
    host_fault("a program that waits for a kernel was called without it", nullptr, 0);
  }
  return true;
}

}  // namespace

DeviceAccess::DeviceAccess() { stitch_emulator_enter_device(); }

DeviceAccess::~DeviceAccess() { stitch_emulator_leave_device(); }

bool can_be_apart() { return was_ever_apart; }

void* allocate_apart(size_t bytes) {
  void* memory = mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return nullptr;
  }
  const std::lock_guard<std::recursive_mutex> lock(apart_mutex);
  own()[static_cast<char*>(memory)] = bytes;
  return memory;
}

void release_apart(void* memory) {
  const std::lock_guard<std::recursive_mutex> lock(apart_mutex);
  const auto found = own().find(static_cast<char*>(memory));
  munmap(memory, whole_pages(found->second));
  own().erase(found);
}

bool is_on_device(const void* address) {
  const std::lock_guard<std::recursive_mutex> lock(apart_mutex);
  const bool is_lent = std::any_of(lent().begin(), lent().end(), [&](const stitch_emulator_range& range) {
    return lies_in(address, range.start, range.bytes);
  });
  return is_lent || std::any_of(own().begin(), own().end(),
                                [&](const auto& block) { return lies_in(address, block.first, block.second); });
}

bool is_kept_apart(const void* address) { return was_ever_apart && is_apart && is_on_device(address); }

bool kernels_are_left_out() { return left_out != STITCH_EMULATOR_ALL && leave_out_now(); }

bool is_left_out(const char* kernel, const char* file, int line) {
  return leaves_one_out && is_launch_of(one_left_out, kernel, file, line) && leave_out_now();
}

bool set_is_left_out() { return left_out == STITCH_EMULATOR_DEVICE_COPIES && sets.fetch_add(1) >= kMaxSets; }

bool host_copies_are_left_out() { return left_out == STITCH_EMULATOR_DEVICE_COPIES && leave_out_now(); }

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

void stitch_emulator_keep_apart(const stitch_emulator_range* ranges, size_t count) {
  const std::lock_guard<std::recursive_mutex> lock(apart_mutex);
  if (is_apart && users == 0) {
    set_rights(PROT_READ | PROT_WRITE);
  }
  lent().assign(ranges, ranges + count);
  is_apart = ranges != nullptr;
  if (is_apart) {
    was_ever_apart = true;
    install_signal_handlers();
    set_rights(PROT_NONE);
  }
}

void stitch_emulator_enter_device() {
  if (!was_ever_apart) {
    return;
  }
  const std::lock_guard<std::recursive_mutex> lock(apart_mutex);
  if (users++ == 0 && is_apart) {
    set_rights(PROT_READ | PROT_WRITE);
  }
}

void stitch_emulator_leave_device() {
  if (!was_ever_apart) {
    return;
  }
  const std::lock_guard<std::recursive_mutex> lock(apart_mutex);
  if (--users == 0 && is_apart) {
    set_rights(PROT_NONE);
  }
}

void stitch_emulator_copy(void* to, const void* from, size_t bytes) {
  const DeviceAccess access;
  std::memcpy(to, from, bytes);
}

int stitch_emulator_equal(const void* left, const void* right, size_t bytes) {
  const DeviceAccess access;
  return std::memcmp(left, right, bytes) == 0 ? 1 : 0;
}

void stitch_emulator_run_only(int what) {
  left_out = what;
  times_left_out = 0;
  sets = 0;
}

void stitch_emulator_leave_out(const struct stitch_emulator_launches* kernel) {
  leaves_one_out = kernel != nullptr;
  if (kernel != nullptr) {
    one_left_out = *kernel;
  }
  times_left_out = 0;
}

}  // extern "C"
