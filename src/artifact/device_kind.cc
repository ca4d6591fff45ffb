// SPDX-License-Identifier: Apache-2.0
#include "artifact/device_kind.h"

namespace stitch {

const char* to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kEmulated:
      return "emulated";
    case DeviceKind::kChecked:
      return "checked";
    case DeviceKind::kCuda:
      return "gpu";
  }
  return "emulated";
}

}  // namespace stitch
