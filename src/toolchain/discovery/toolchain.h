// SPDX-License-Identifier: Apache-2.0
// The compilers of this machine, and what each device is lacking.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "artifact/device_kind.h"
#include "base/error/result.h"
#include "sandbox/policy/confinement.h"

namespace stitch::toolchain {

struct Tool {
  std::filesystem::path program;
  std::string identity;  // what it says of its version: part of every build key
};

inline constexpr uint64_t kDefaultCacheBytes = uint64_t{4} << 30;

struct Toolchain {
  std::optional<Tool> host_compiler;  // g++
  std::optional<Tool> nvcc;
  std::string host_compiler_problem;  // what is wrong with the one that was found; empty when there is none
  std::string nvcc_problem;
  std::filesystem::path cuda_include;         // holds cuda_runtime.h; empty when there is none
  std::string cuda_identity;                  // SHA-256 of its cuda_runtime_api.h
  std::filesystem::path cuda_static_runtime;  // libcudart_static.a; empty when there is none
  std::filesystem::path cuobjdump;            // which shows the instructions of a GPU's code; empty when there is none
  std::optional<Tool> rewriter;               // stitchcuda-rewrite; identity: the SHA-256 of the program
  std::filesystem::path emulator_include;     // holds stitch_emulator.h; empty when there is none
  std::string emulator_identity;              // SHA-256 of those headers
  std::filesystem::path cache;                // a folder that can be written to
  uint64_t cache_bytes = kDefaultCacheBytes;  // the most it may hold when a build ends
  std::filesystem::path prebuilt;             // the same, made with stitchcuda and only read; empty when there is none

  sandbox::Confinement confinement{};  // what they run in, and what is built by them

  // kEnvironment with what is missing to build for `device`, and the remedy.
  Result<void> supports(DeviceKind device) const;
};

struct ToolchainOptions {
  // Folders looked at before all others; for tests and unusual installations.
  std::filesystem::path emulator_include{};
  std::filesystem::path cache{};
  int64_t version_timeout_ms = 60'000;  // of each compiler that is asked for its version
};

// Looks at CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda and the nvidia packages of the virtual environment; at
// STITCHCUDA_EMULATOR, share/stitchcuda/emulator and emulator/ upwards from the running program; and at
// STITCHCUDA_CACHE, XDG_CACHE_HOME, ~/.cache. Something missing is no error here: ask supports().
Result<Toolchain> find_toolchain(const ToolchainOptions& options = {});

// Two of the same look-ups alone, which start no compiler: the toolkit's headers (empty where there are none), and the
// cache. kEnvironment where no folder for it can be written to.
std::filesystem::path find_cuda_headers();
Result<std::filesystem::path> find_cache(const ToolchainOptions& options = {});

}  // namespace stitch::toolchain
