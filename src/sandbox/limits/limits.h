// SPDX-License-Identifier: Apache-2.0
// What a process that runs or compiles a candidate may use. Every child that touches candidate code is started through
// confine(): namespaces and system call filters belong here too.
#pragma once

#include <cstdint>
#include <optional>

#include "base/process/child.h"

namespace stitch::sandbox {

// A build under AddressSanitizer starts programs that need terabytes of addresses: there, nothing limits them.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kAddressSpaceCanBeLimited = false;
#else
constexpr bool kAddressSpaceCanBeLimited = true;
#endif

struct Limits {
  std::optional<uint64_t>
      address_space_bytes;  // by the kernel; not for ASan and CUDA, which reserve far more than they use
  std::optional<uint64_t> cpu_seconds;
  std::optional<uint64_t> file_bytes;  // the longest file it may write
};

// A compiler of candidate code: generous, but a template bomb ends.
Limits compiler_limits();
// A worker whose address space is limited to `memory_bytes`; nullopt where memory is watched instead (MemoryWatch).
Limits worker_limits(std::optional<uint64_t> memory_bytes);

// `options` with the limits applied and the environment cut to what compilers and CUDA need: no secret travels.
ChildOptions confine(ChildOptions options, const Limits& limits);

}  // namespace stitch::sandbox
