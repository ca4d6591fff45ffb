// SPDX-License-Identifier: Apache-2.0
// What every process in a cage sees of the system.
#pragma once

#include <filesystem>
#include <vector>

namespace stitch::sandbox {

// Programs and libraries, and how the loader finds them. Those that exist here.
std::vector<std::filesystem::path> system_folders();
// Device nodes that give nothing away, and for a GPU those of its driver.
std::vector<std::filesystem::path> system_devices(bool gpu);
// What NVIDIA's driver reads of the kernel's view of the machine.
std::vector<std::filesystem::path> driver_folders();

}  // namespace stitch::sandbox
