// SPDX-License-Identifier: Apache-2.0
// Prints what the counted build says of each kernel of this program.
#pragma once

#include <stitch_emulator_control.h>

#include <cstdio>
#include <vector>

template <typename T>
T* device_memory(size_t count) {
  void* memory = nullptr;
  cudaMalloc(&memory, count * sizeof(T));
  cudaMemset(memory, 0, count * sizeof(T));
  return static_cast<T*>(memory);
}

inline int print_counts() {
  std::vector<stitch_emulator_launches> entries(stitch_emulator_get_launches(nullptr, 0));
  stitch_emulator_get_launches(entries.data(), entries.size());
  for (const stitch_emulator_launches& entry : entries) {
    if (entry.line == 0) {
      continue;
    }
    const stitch_emulator_accesses& a = entry.accesses;
    std::printf(
        "%s launches=%llu bytes_read=%llu bytes_written=%llu requests_read=%llu requests_written=%llu "
        "sectors_read=%llu sectors_written=%llu atomics=%llu atomic_sectors=%llu shared_requests=%llu "
        "wavefronts=%llu shared_atomics=%llu tf32_flops=%llu half_flops=%llu "
        "group_flops=%llu sectors_missed=%llu memory_waits=%llu shared_waits=%llu\n",
        entry.name, (unsigned long long)entry.launches, (unsigned long long)a.bytes_read,
        (unsigned long long)a.bytes_written, (unsigned long long)a.requests_read,
        (unsigned long long)a.requests_written, (unsigned long long)a.sectors_read,
        (unsigned long long)a.sectors_written, (unsigned long long)a.atomics, (unsigned long long)a.atomic_sectors,
        (unsigned long long)a.shared_requests, (unsigned long long)a.wavefronts, (unsigned long long)a.shared_atomics,
        (unsigned long long)a.tf32_flops, (unsigned long long)a.half_flops,
        (unsigned long long)a.group_flops, (unsigned long long)a.sectors_missed, (unsigned long long)a.memory_waits,
        (unsigned long long)a.shared_waits);
  }
  return 0;
}
