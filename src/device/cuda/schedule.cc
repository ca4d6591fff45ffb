// SPDX-License-Identifier: Apache-2.0
#include "device/schedule.h"

namespace stitch::device {

void set_schedule_seed(uint64_t) {}  // a GPU's schedulers take no seed

}  // namespace stitch::device
