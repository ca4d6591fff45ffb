// SPDX-License-Identifier: Apache-2.0
// Which machine a program is built for and run on.
#pragma once

#include <optional>
#include <string_view>

namespace stitch {

enum class DeviceKind {
  kEmulated,  // CUDA on the CPU, -O2
  kChecked,   // CUDA on the CPU under AddressSanitizer and UndefinedBehaviorSanitizer
  kCounted,   // CUDA on the CPU, every access of a kernel counted
  kCuda,      // a GPU
};
const char* to_string(DeviceKind kind);  // "emulated", "checked", "counted", "gpu"
std::optional<DeviceKind> device_kind_from_string(std::string_view name);

// Where PyTorch computes.
enum class TorchDevice { kCpu, kCuda };
const char* to_string(TorchDevice device);     // PyTorch's own names: "cpu", "cuda"
TorchDevice torch_device_of(DeviceKind kind);  // the one on which it meets a program of that kind

}  // namespace stitch
