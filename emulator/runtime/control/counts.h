// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stitch_emulator_control.h"

namespace stitch_emulator {

extern stitch_emulator_counts counts;

struct Settings {
  uint64_t schedule_seed = 0;
  stitch_emulator_limits limits{48 * 1024, 227 * 1024, 1024, 60.0};
};
extern Settings settings;

}  // namespace stitch_emulator
