// SPDX-License-Identifier: Apache-2.0
// What ran on the emulated device: kernels, and functions of the libraries, with what each did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "control/counts.h"
#include "stitch_emulator_control.h"

namespace stitch_emulator {

// Counts from its construction on; its end enters them under `name` and `place`.
class LedgerEntry {
 public:
  LedgerEntry(const char* name, const char* file, int line);
  ~LedgerEntry();
  LedgerEntry(const LedgerEntry&) = delete;
  LedgerEntry& operator=(const LedgerEntry&) = delete;

  void used_shared(size_t bytes) { shared_bytes_ = bytes; }
  void did(const stitch_emulator_accesses& accesses) { accesses_ = accesses; }
  // Of a library's function: multiplications and additions, and whether it did more than the bare product.
  void did_library_work(uint64_t flops, bool has_epilogue);

 private:
  stitch_emulator_counts before_;
  uint64_t start_nanoseconds_;
  const char* name_;
  const char* file_;
  int line_;
  size_t shared_bytes_ = 0;
  uint64_t library_flops_ = 0;
  bool has_epilogue_ = false;
  stitch_emulator_accesses accesses_{};
};

// An entry of the counted build alone: elsewhere such a call is no launch of anybody's.
class CountedCall {
 public:
  explicit CountedCall(const char* name, const stitch_emulator_accesses& accesses = {});

 private:
  std::optional<LedgerEntry> entry_;
};

// Whether a launch of that name from that place belongs to the entry. Null is the empty string.
bool is_launch_of(const stitch_emulator_launches& entry, const char* name, const char* file, int line);

}  // namespace stitch_emulator
