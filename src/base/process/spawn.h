// SPDX-License-Identifier: Apache-2.0
// fork and exec with nothing but async-signal-safe calls in between, so that it is right in a threaded process.
#pragma once

#include <sys/types.h>

#include "base/process/child.h"

namespace stitch::internal {

// Starts the program of `options` with its stdout and stderr on the two given descriptors. The child leads a process
// group of its own, is killed when the calling thread ends, and has only the descriptors it was promised.
Result<pid_t> spawn(const ChildOptions& options, int standard_output, int standard_error);

}  // namespace stitch::internal
