// SPDX-License-Identifier: Apache-2.0
#include "control/launch_ledger.h"

#include <time.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "access/accesses.h"
#include "stitch_emulator/count.h"

namespace stitch_emulator {
namespace {

constexpr size_t kMaxEntries = 4096;  // a program of more kernels than that is not listed to its end

std::mutex ledger_mutex;
int step = -1;  // that the host has named
std::vector<stitch_emulator_launches>& ledger() {
  static std::vector<stitch_emulator_launches> entries;
  return entries;
}

uint64_t now_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

// A library that is gone takes its names along: they are compared and kept by value.
stitch_emulator_launches* entry_of(const char* name, const char* file, int line,
                                   const stitch_emulator_accesses& accesses) {
  for (stitch_emulator_launches& entry : ledger()) {
    const bool is_alike =
        !kCounted || (entry.step == step && memcmp(&entry.accesses, &accesses, sizeof(accesses)) == 0);
    if (is_alike && is_launch_of(entry, name, file, line)) {
      return &entry;
    }
  }
  if (ledger().size() == kMaxEntries) {
    return nullptr;
  }
  stitch_emulator_launches entry{};
  strncpy(entry.name, name, sizeof(entry.name) - 1);
  strncpy(entry.file, file, sizeof(entry.file) - 1);
  entry.line = line;
  entry.step = step;
  entry.accesses = accesses;
  ledger().push_back(entry);
  return &ledger().back();
}

}  // namespace

bool is_launch_of(const stitch_emulator_launches& entry, const char* name, const char* file, int line) {
  return entry.line == line && strncmp(entry.name, name == nullptr ? "" : name, sizeof(entry.name) - 1) == 0 &&
         strncmp(entry.file, file == nullptr ? "" : file, sizeof(entry.file) - 1) == 0;
}

LedgerEntry::LedgerEntry(const char* name, const char* file, int line)
    : before_(counts),
      start_nanoseconds_(now_nanoseconds()),
      name_(name == nullptr ? "" : name),
      file_(file == nullptr ? "" : file),
      line_(line) {}

CountedCall::CountedCall(const char* name, const stitch_emulator_accesses& accesses) {
  if (kCounted) {
    entry_.emplace(name, "", 0);
    entry_->did(accesses);
  }
}

void LedgerEntry::did_library_work(uint64_t flops, bool has_epilogue) {
  library_flops_ = flops;
  has_epilogue_ = has_epilogue;
}

LedgerEntry::~LedgerEntry() {
  const uint64_t nanoseconds = now_nanoseconds() - start_nanoseconds_;
  const std::lock_guard<std::mutex> lock(ledger_mutex);
  stitch_emulator_launches* entry = entry_of(name_, file_, line_, accesses_);
  if (entry == nullptr) {
    return;
  }
  entry->launches += 1;
  entry->blocks += counts.blocks - before_.blocks;
  entry->threads += counts.threads - before_.threads;
  entry->barriers += counts.barriers - before_.barriers;
  entry->warp_operations += counts.warp_operations - before_.warp_operations;
  entry->matrix_operations += counts.matrix_operations - before_.matrix_operations;
  entry->async_copies += counts.async_copies - before_.async_copies;
  entry->nanoseconds += nanoseconds;
  entry->shared_bytes = std::max<uint64_t>(entry->shared_bytes, shared_bytes_);
  entry->library_flops += library_flops_;
  entry->epilogues += has_epilogue_ ? 1 : 0;
}

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

void stitch_emulator_forget_launches() {
  const std::lock_guard<std::mutex> lock(ledger_mutex);
  ledger().clear();
  step = -1;
}

int stitch_emulator_counts_accesses() { return kCounted ? 1 : 0; }

size_t stitch_emulator_get_launches(struct stitch_emulator_launches* entries, size_t capacity) {
  const std::lock_guard<std::mutex> lock(ledger_mutex);
  std::copy_n(ledger().begin(), std::min(capacity, ledger().size()), entries);
  return ledger().size();
}

void stitch_begin_step(int number) { step = number; }

void stitch_count_matrix_operation() { ++counts.matrix_operations; }

}  // extern "C"
