// SPDX-License-Identifier: Apache-2.0
#include "artifact/device_kind.h"

namespace stitch {

const char* to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kEmulated:
      return "emulated";
    case DeviceKind::kChecked:
      return "checked";
    case DeviceKind::kCounted:
      return "counted";
    case DeviceKind::kCuda:
      return "gpu";
  }
  return "emulated";
}

std::optional<DeviceKind> device_kind_from_string(std::string_view name) {
  for (const DeviceKind kind : {DeviceKind::kEmulated, DeviceKind::kChecked, DeviceKind::kCounted, DeviceKind::kCuda}) {
    if (name == to_string(kind)) {
      return kind;
    }
  }
  return std::nullopt;
}

const char* to_string(TorchDevice device) { return device == TorchDevice::kCuda ? "cuda" : "cpu"; }

TorchDevice torch_device_of(DeviceKind kind) {
  return kind == DeviceKind::kCuda ? TorchDevice::kCuda : TorchDevice::kCpu;
}

}  // namespace stitch
