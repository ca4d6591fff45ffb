// SPDX-License-Identifier: Apache-2.0
// How much memory this machine could still give.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stitch {

// Bytes that could be filled now before the kernel kills processes: free or easily freed memory, or the rest of our
// control group's limit where that is less. UINT64_MAX where it is unknown.
uint64_t available_memory_bytes();

// "MemAvailable:   123 kB" of /proc/meminfo; nothing where there is no such line.
std::optional<uint64_t> available_of_meminfo(std::string_view text);

}  // namespace stitch
