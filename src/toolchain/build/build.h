// SPDX-License-Identifier: Apache-2.0
// A bundle of sources into a shared library that exports stitch_program_v1, or into what the compiler said.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "artifact/device_kind.h"
#include "artifact/report/compile_report.h"
#include "artifact/source/source_bundle.h"
#include "toolchain/build/authors.h"
#include "toolchain/build/torch_kit.h"
#include "toolchain/discovery/toolchain.h"

namespace stitch::toolchain {

struct BuildProgress {
  int done = 0;  // units ready so far
  int total = 0;
  std::string unit;  // the one that is ready now
  bool from_cache = false;
};

struct BuildRequest {
  SourceBundle bundle;
  // A stranger's unit is compiled as it is, stands for no other, and is told by no macro that its build is a checked
  // one.
  Authors authors{};
  DeviceKind device = DeviceKind::kEmulated;
  std::string architecture = "sm_90a";  // of the GPU, or several with commas; plays no part elsewhere
  bool line_info = false;               // GPU: line numbers for profilers
  bool nvtx = false;                    // GPU: an NVTX range around each step
  bool objects_only = false;            // fill the cache, make no library
  // Steps of ours that differ in names of their own alone are compiled once and are one function under several names.
  bool joins_equal_steps = false;
  bool own_code_alone = false;  // GPU: without the CUDA runtime, so that what it imports is what the sources ask for
  std::optional<TorchKit> torch{};                           // emulated: the units make an extension module of Python
  int jobs = 0;                                              // compilers at a time; 0: one for each core
  std::function<void(const BuildProgress&)> progress{};      // called by one thread at a time
  std::function<void(const std::string& unit)> compiling{};  // a compiler starts on it; never at once with the former
};

// Compiles what the cache does not hold, all of it even when a unit fails, and links. Errors of the sources are a
// report with ok = false; an Error means that the machine could not try, or builds no one-line program either.
Result<CompileReport> build(const BuildRequest& request, const Toolchain& tools);

}  // namespace stitch::toolchain
