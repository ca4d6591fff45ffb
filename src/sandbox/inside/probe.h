// SPDX-License-Identifier: Apache-2.0
// Tries every layer once, in children of its own.
#pragma once

#include "sandbox/layers/layers.h"

namespace stitch::sandbox {

Layers probe_layers();

}  // namespace stitch::sandbox
