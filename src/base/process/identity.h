// SPDX-License-Identifier: Apache-2.0
// Which process, for someone who asks later: a number alone is given again to other processes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace stitch {

struct ProcessIdentity {
  pid_t pid = 0;
  uint64_t start_ticks = 0;  // since the machine started, as the kernel counts them
  std::string boot;          // which start of the machine
};

// Ours.
ProcessIdentity own_identity();
// Whether it still runs; a zombie does not.
bool is_alive(const ProcessIdentity& process);
// Another process's number alone, as file names carry it: whether any process has it now.
bool is_number_in_use(pid_t pid);

}  // namespace stitch
