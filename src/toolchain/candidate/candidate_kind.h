// SPDX-License-Identifier: Apache-2.0
// The kind of a candidate, found from its name and its files alone: nothing of it is run.
#pragma once

#include <filesystem>
#include <string>

#include "base/error/result.h"

namespace stitch::toolchain {

enum class CandidateKind {
  kBundle,   // a folder with bundle.json, as `stitchcuda emit` writes
  kSources,  // a folder with *.cu or *.cuh that define the C ABI
  kLibrary,  // one .so
  kPython,   // one .py with ModelNew, or a folder that holds model_new.py
};
const char* to_string(CandidateKind kind);  // "bundle", "sources", "library", "python"

// kFileInvalid where there is nothing of these kinds.
Result<CandidateKind> classify_candidate(const std::filesystem::path& path);

}  // namespace stitch::toolchain
