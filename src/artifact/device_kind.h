// SPDX-License-Identifier: Apache-2.0
// Which machine a program is built for and run on.
#pragma once

namespace stitch {

enum class DeviceKind {
  kEmulated,  // CUDA on the CPU, -O2
  kChecked,   // CUDA on the CPU under AddressSanitizer and UndefinedBehaviorSanitizer
  kCuda,      // a GPU
};
const char* to_string(DeviceKind kind);  // "emulated", "checked", "gpu"

}  // namespace stitch
