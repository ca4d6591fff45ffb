// SPDX-License-Identifier: Apache-2.0
#include "device/launches.h"

#include <stitch_emulator_control.h>

#include <algorithm>

namespace stitch::device {

namespace {

MemoryAccesses accesses_of(const stitch_emulator_accesses& counted) {
  const auto number = [](uint64_t count) { return static_cast<int64_t>(count); };
  return {.bytes_read = number(counted.bytes_read),
          .bytes_written = number(counted.bytes_written),
          .requests_read = number(counted.requests_read),
          .requests_written = number(counted.requests_written),
          .sectors_read = number(counted.sectors_read),
          .sectors_written = number(counted.sectors_written),
          .atomics = number(counted.atomics),
          .atomic_sectors = number(counted.atomic_sectors),
          .shared_requests = number(counted.shared_requests),
          .wavefronts = number(counted.wavefronts),
          .shared_atomics = number(counted.shared_atomics),
          .tf32_flops = number(counted.tf32_flops),
          .half_flops = number(counted.half_flops),
          .group_flops = number(counted.group_flops),
          .sectors_missed = number(counted.sectors_missed),
          .memory_waits = number(counted.memory_waits),
          .shared_waits = number(counted.shared_waits)};
}

}  // namespace

void forget_launches() { stitch_emulator_forget_launches(); }

std::optional<std::vector<LaunchRecord>> launches() {
  std::vector<stitch_emulator_launches> entries(stitch_emulator_get_launches(nullptr, 0));
  entries.resize(std::min(entries.size(), stitch_emulator_get_launches(entries.data(), entries.size())));
  std::vector<LaunchRecord> records;
  for (const stitch_emulator_launches& entry : entries) {
    LaunchRecord record;
    record.name = entry.name;
    record.file = entry.file;
    record.line = entry.line;
    record.launches = static_cast<int64_t>(entry.launches);
    record.blocks = static_cast<int64_t>(entry.blocks);
    record.threads = static_cast<int64_t>(entry.threads);
    record.barriers = static_cast<int64_t>(entry.barriers);
    record.warp_operations = static_cast<int64_t>(entry.warp_operations);
    record.matrix_operations = static_cast<int64_t>(entry.matrix_operations);
    record.async_copies = static_cast<int64_t>(entry.async_copies);
    record.shared_bytes = static_cast<int64_t>(entry.shared_bytes);
    record.nanoseconds = static_cast<int64_t>(entry.nanoseconds);
    record.library_flops = static_cast<int64_t>(entry.library_flops);
    record.epilogues = static_cast<int64_t>(entry.epilogues);
    if (stitch_emulator_counts_accesses() != 0) {
      record.step = entry.step;
      record.accesses = accesses_of(entry.accesses);
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace stitch::device
