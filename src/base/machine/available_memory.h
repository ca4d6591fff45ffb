// SPDX-License-Identifier: Apache-2.0
// How much memory this machine could still give.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stitch {

// What could be filled now before the kernel ends processes: what is free or easily freed, or the limit of our control
// group where that is less. UINT64_MAX where nothing tells.
uint64_t available_memory_bytes();

// "MemAvailable:   123 kB" of /proc/meminfo; nothing where there is no such line.
std::optional<uint64_t> available_of_meminfo(std::string_view text);

}  // namespace stitch
