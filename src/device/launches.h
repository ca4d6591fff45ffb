// SPDX-License-Identifier: Apache-2.0
// What ran on the device, where it keeps a list.
#pragma once

#include <optional>
#include <vector>

#include "artifact/report/launch_record.h"

namespace stitch::device {

void forget_launches();
// The launches since forget_launches(). Nothing on a GPU, which keeps no list.
std::optional<std::vector<LaunchRecord>> launches();

}  // namespace stitch::device
