// SPDX-License-Identifier: Apache-2.0
// The commands of one call, kept so that the device can do them once more while nothing of the program's host code
// runs: with the bytes that the host had given when each was enqueued, and whatever the device's memory holds by then.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>

namespace stitch_emulator {

// Whether commands are being kept: what they use must not be freed, but given to release_with_commands().
bool keeps_commands();
void release_with_commands(std::function<void()> release);
// Whether they are done once more.
bool plays_commands();

// Does a command, which is kept where commands are: a kernel, a copy, a set, a function of a library. Those within it
// are part of it.
cudaError_t do_command(const std::function<cudaError_t()>& work);

// Told of each copy before it is made. Once more, the source is what the host gave the first time; null where this copy
// is not to be made: it would bring to the host what the program does not expect there.
const void* source_of_copy(void* to, const void* from, size_t bytes);

}  // namespace stitch_emulator
