// SPDX-License-Identifier: Apache-2.0
// What a verdict rests on, so that it can be replayed: seeds, compilers, versions; and the weights to run the program.
#pragma once

#include <filesystem>

#include "driver/judge/subjects.h"

namespace stitch::driver {

struct Seconds {
  double import = 0;
  double plan = 0;
  double build = 0;
  double verify = 0;
  double total = 0;
};

// Whether nvcc takes the emitted sources too; its time is told apart, since the emulated device does not need it.
struct NvccResult {
  double seconds = 0;
  std::string message;  // "nvcc took all 9 files for sm_90a", or why it was not asked
};

Json environment(const Job& job, const toolchain::Toolchain& tools);
Json seeds(uint64_t seed, const SubjectSet& set);

// An Error when nvcc is there and refuses what we emitted: our bug.
Result<NvccResult> compile_with_nvcc(Job& job, const toolchain::Toolchain& tools, const SourceBundle& bundle,
                                     DeviceKind device);

// Parameters, buffers and constants of the program; skipped, with a progress line, above 256 MiB.
Result<void> write_weights(Job& job, const Task& task, const ImportedProgram& imported,
                           const std::filesystem::path& path);

}  // namespace stitch::driver
