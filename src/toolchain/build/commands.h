// SPDX-License-Identifier: Apache-2.0
// The command lines, device by device.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "artifact/device_kind.h"
#include "toolchain/build/torch_kit.h"
#include "toolchain/discovery/toolchain.h"

namespace stitch::toolchain {

struct Target {
  DeviceKind device = DeviceKind::kEmulated;
  std::string architecture;         // "sm_90a", or several: "sm_80,sm_90a"
  bool line_info = false;           // of a GPU build: line numbers for profilers
  bool nvtx = false;                // of a GPU build: an NVTX range around each step
  bool own_code_alone = false;      // of a GPU build: linked without the CUDA runtime, to be looked at and not loaded
  bool hides_sanitizers = false;    // of a checked build of a unit: no macro tells the source of it
  std::optional<TorchKit> torch{};  // an extension module of Python, instead of a program; emulated only
};

// Flags that decide what the object holds. They name no path of this machine: they are part of the key.
std::vector<std::string> compile_flags(const Target& target);

// Compiles `unit` to `object` from the folder that holds the bundle (emulated: as rewritten, after `prelude`, or after
// the emulator's header where that is empty).
std::vector<std::string> compile_command(const Target& target, const Toolchain& tools,
                                         const std::filesystem::path& folder, const std::string& unit,
                                         const std::filesystem::path& object,
                                         const std::filesystem::path& prelude = {});

// Parses `header` for units that are compiled with the same flags.
std::vector<std::string> prelude_command(const Target& target, const Toolchain& tools,
                                         const std::filesystem::path& header, const std::filesystem::path& parsed);

// Rewrites `files` of the present folder into `folder`, under the same names.
std::vector<std::string> rewrite_command(const Toolchain& tools, const std::set<std::string>& files,
                                         const std::filesystem::path& folder);

// A second name of a function that one of the objects has.
struct SymbolAlias {
  std::string name;
  std::string means;
};

struct Linked {
  std::vector<std::filesystem::path> objects;
  std::vector<SymbolAlias> aliases = {};
};

std::vector<std::string> link_command(const Target& target, const Toolchain& tools, const Linked& linked,
                                      const std::filesystem::path& exports, const std::filesystem::path& library);

// The linker's version script: one symbol leaves the library.
std::string exports_of(const Target& target);

// What every emulated unit begins with.
std::string prelude_text(const Target& target);

// Everything beside sources and flags that an object depends on: compilers, headers.
std::vector<std::string> tool_identities(const Target& target, const Toolchain& tools);

}  // namespace stitch::toolchain
