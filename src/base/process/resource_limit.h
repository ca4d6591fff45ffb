// SPDX-License-Identifier: Apache-2.0
// Limits that this process was started under, which its children inherit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stitch {

struct ResourceLimit {
  uint64_t bytes = 0;
  std::string words;   // "the limit of 512 MiB of address space (ulimit -v)"
  std::string remedy;  // "raise it with `ulimit -v unlimited`, or ..."
};

// The limit on a process's memory: on its address space, else on its data; nothing where there is none.
std::optional<ResourceLimit> inherited_memory_limit();

}  // namespace stitch
