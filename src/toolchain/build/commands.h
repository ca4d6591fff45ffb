// SPDX-License-Identifier: Apache-2.0
// The command lines, device by device.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "artifact/device_kind.h"
#include "toolchain/discovery/toolchain.h"

namespace stitch::toolchain {

struct Target {
  DeviceKind device = DeviceKind::kEmulated;
  std::string architecture;  // "sm_90a", or several: "sm_80,sm_90a"
  bool line_info = false;    // of a GPU build: line numbers for profilers
  bool nvtx = false;         // of a GPU build: an NVTX range around each step
};

// Flags that decide what the object holds. They name no path of this machine: they are part of the key.
std::vector<std::string> compile_flags(const Target& target);

// Compiles `unit` to `object` from the folder that holds the bundle (emulated: as rewritten).
std::vector<std::string> compile_command(const Target& target, const Toolchain& tools,
                                         const std::filesystem::path& folder, const std::string& unit,
                                         const std::filesystem::path& object);

std::vector<std::string> rewrite_command(const Toolchain& tools, const std::string& input,
                                         const std::filesystem::path& output);

std::vector<std::string> link_command(const Target& target, const Toolchain& tools,
                                      const std::vector<std::filesystem::path>& objects,
                                      const std::filesystem::path& exports, const std::filesystem::path& library);

// The linker's version script: one symbol leaves the library.
extern const char* const kExports;

// Everything beside sources and flags that an object depends on: compilers, headers.
std::vector<std::string> tool_identities(const Target& target, const Toolchain& tools);

}  // namespace stitch::toolchain
