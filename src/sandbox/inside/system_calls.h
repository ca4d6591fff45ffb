// SPDX-License-Identifier: Apache-2.0
// A filter on system calls (seccomp). A list of what is forbidden, with a reason for each group: candidates run inside
// drivers and sanitizers that we do not know, and a list of what is allowed would break with each of their versions.
#pragma once

#include "base/error/result.h"

namespace stitch::sandbox {

struct SystemCallRules {
  bool local_sockets = false;     // NVIDIA's driver talks to itself through them
  bool may_make_code = true;      // false: what is executed comes from files alone, of folders that allow it
  bool may_start_processes = true;  // false: threads alone; who tries is killed (SIGSYS), beside a GPU's driver refused
  bool signals_to_others = true;  // false where no namespace keeps other processes out of reach
};

Result<void> filter_system_calls(const SystemCallRules& rules);

}  // namespace stitch::sandbox
