// SPDX-License-Identifier: Apache-2.0
// A folder of CUDA sources that somebody else wrote, as a bundle that we build with our own flags and nothing else.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "artifact/report/finding.h"
#include "artifact/source/source_bundle.h"

namespace stitch::driver {

Result<bool> holds_sources(const std::filesystem::path& folder);

// What cannot be read of a candidate's own files, a bundle.json that is none or too many of them, is its fault and no
// failing world: build_failed. Nothing when all is well, or when the world did fail.
template <typename T>
std::optional<Finding> fault_of_files(const Result<T>& read) {
  const bool is_its_own = !read.has_value() && read.error().code == ErrorCode::kFileInvalid;
  return is_its_own ? std::optional(Finding{Stage::kRead, VerdictKind::kBuildFailed, read.error().sentence})
                    : std::nullopt;
}

struct CandidateSources {
  SourceBundle bundle;             // with the header of the C ABI
  std::vector<std::string> notes;  // what we do not look at: build scripts and the like
};
// Why these sources are not compiled: one of them takes in a file that is not theirs. Nothing when all is well.
std::optional<std::string> outside_file(const SourceBundle& bundle);

// Every *.cu below `folder` is a unit; *.cuh, *.h, *.inc and their like are headers. Links are not followed.
// kFileInvalid when the folder is too large to be a program's sources.
Result<CandidateSources> read_candidate_sources(const std::filesystem::path& folder,
                                                const std::filesystem::path& runtime_folder);

}  // namespace stitch::driver
