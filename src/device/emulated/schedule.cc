// SPDX-License-Identifier: Apache-2.0
#include "device/schedule.h"

#include <stitch_emulator_control.h>

namespace stitch::device {

void set_schedule_seed(uint64_t seed) { stitch_emulator_set_schedule_seed(seed); }

}  // namespace stitch::device
