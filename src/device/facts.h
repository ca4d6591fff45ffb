// SPDX-License-Identifier: Apache-2.0
// What kind of device this is.
#pragma once

#include <cstdint>
#include <string>

#include "base/error/result.h"

namespace stitch::device {

struct Facts {
  std::string name;
  std::string architecture;  // "sm_90"
  uint64_t memory_bytes = 0;
  uint64_t l2_bytes = 0;
  int multiprocessors = 0;
};

// Selects device `index` for this thread and says what it is; kEnvironment when there is none.
Result<Facts> open_device(int index);

}  // namespace stitch::device
