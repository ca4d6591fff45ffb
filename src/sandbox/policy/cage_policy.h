// SPDX-License-Identifier: Apache-2.0
// What a process that runs or compiles candidate code may reach: a value. Whatever is not named here it does not find.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "sandbox/limits/limits.h"
#include "sandbox/policy/confinement.h"

namespace stitch::sandbox {

// Beside these it sees the system's programs and libraries, harmless device nodes, and its own processes in /proc.
struct CagePolicy {
  CageMode mode = CageMode::kCaged;  // kNone: of all that follows only the limits hold
  std::vector<std::filesystem::path> readable{};  // files and folders, under their own names
  std::vector<std::filesystem::path> data{};      // likewise, but no code is mapped from there, except what is readable
  std::vector<std::filesystem::path> writable{};  // folders, under their own names
  uint64_t scratch_bytes = uint64_t{64} << 20;    // of /tmp, which is its own and empty
  uint64_t process_count = 512;                   // processes and threads at a time
  bool gpu = false;                               // the devices of NVIDIA's driver
  bool may_start_programs = false;                // compilers start others; a worker does not
  bool may_make_code = true;                      // memory that is executed, other than of a readable file
  Limits limits{};
};

}  // namespace stitch::sandbox
