// SPDX-License-Identifier: Apache-2.0
#include "evaluate/processes/eviction_library.h"

#include "base/process/child.h"

namespace stitch::evaluate {

std::vector<std::string> eviction_library(DeviceKind device) {
  const Result<std::filesystem::path> found = find_helper_program("libstitch_eviction.so");
  return device == DeviceKind::kCuda && found.has_value() ? std::vector{found->string()} : std::vector<std::string>();
}

}  // namespace stitch::evaluate
