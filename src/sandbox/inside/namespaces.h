// SPDX-License-Identifier: Apache-2.0
// Processes, network, IPC and host name of its own; the mount namespace is root_folder.h's.
#pragma once

#include "base/error/result.h"
#include "sandbox/layers/layers.h"

namespace stitch::sandbox {

// The caller's next children live there. In a user namespace first, where that is who makes the others.
Result<void> make_namespaces(const Layers& layers);

// The first process of the namespace: adopts orphans and, with its end, ends all others. Lives until killed, or until
// `lifeline` is closed at its other end. Never returns.
[[noreturn]] void be_first_process(int lifeline);

}  // namespace stitch::sandbox
