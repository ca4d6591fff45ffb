// SPDX-License-Identifier: Apache-2.0
// The counted build: where an address lies on the device, told so that it is the same in every process. Each piece of
// memory begins at a multiple of 4096, in the order in which pieces are first met.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace stitch_emulator {

enum class Space : uint8_t { kGlobal, kShared, kElsewhere };

struct DevicePlace {
  Space space = Space::kElsewhere;
  uint64_t address = 0;  // shared: from the start of shared memory
};

// `kElsewhere`: registers, arguments, constants, variables of the emulator's own.
DevicePlace place_on_device(uintptr_t address);
// Before a launch: pieces may have come and gone.
void forget_device_places();

}  // namespace stitch_emulator
