// SPDX-License-Identifier: Apache-2.0
#include "kernels/template/device_limits.h"

namespace stitch::kernels {

const std::vector<DeviceLimits>& known_devices() {
  constexpr double kGiga = 1e9;
  constexpr double kTera = 1e12;
  constexpr int kKilo = 1024;
  static const std::vector<DeviceLimits> devices = {
#define STITCH_DEVICE(name, architecture, bandwidth, l2, shared, fp32, tf32, fp16, lane, processors, block_kb,       \
                      processor_kb, cluster)                                                                         \
  DeviceLimits{                                                                                                      \
      name,           architecture,   (bandwidth) * kGiga, (l2) * kGiga, (shared) * kGiga,   (fp32) * kTera,         \
      (tf32) * kTera, (fp16) * kTera, (lane) * kTera,      processors,   (block_kb) * kKilo, (processor_kb) * kKilo, \
      cluster},
#include "kernels/template/device_limits.def"
#undef STITCH_DEVICE
  };
  return devices;
}

Result<DeviceLimits> device_limits(std::string_view name) {
  std::string names;
  for (const DeviceLimits& device : known_devices()) {
    if (device.name == name) {
      return device;
    }
    names += (names.empty() ? "" : ", ") + device.name;
  }
  return failure(ErrorCode::kUsage, "no limits are known for a device called " + std::string(name), {},
                 "name one of " + names);
}

}  // namespace stitch::kernels
