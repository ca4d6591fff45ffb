// SPDX-License-Identifier: Apache-2.0
// Identifies a process for later: its number alone may be given to another process.
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

// The identity of this process.
ProcessIdentity own_identity();
// Whether it still runs; a zombie does not.
bool is_alive(const ProcessIdentity& process);

// Ours as a part of a file's name, "4026531836-1234-567890": the space that numbers are counted in, the number, and
// when it started. A process that finds such a name later can tell whether its owner still runs.
const std::string& own_name_part();
// Whether `part` names a process that is gone. False for other texts and for processes of another space.
bool is_name_part_of_gone(const std::string& part);

}  // namespace stitch
