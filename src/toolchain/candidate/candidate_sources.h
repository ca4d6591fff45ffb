// SPDX-License-Identifier: Apache-2.0
// A stranger's folder of CUDA sources, as a bundle that is built with our own flags alone.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "artifact/report/finding.h"
#include "artifact/source/source_bundle.h"

namespace stitch::toolchain {

Result<bool> holds_sources(const std::filesystem::path& folder);

// A build_failed finding where a candidate's own files cannot be read (a broken bundle.json, too many files): that is
// the candidate's fault. Nothing when all is well, or when the world failed.
template <typename T>
std::optional<Finding> fault_of_files(const Result<T>& read) {
  const bool is_its_own = !read.has_value() && read.error().code == ErrorCode::kFileInvalid;
  return is_its_own ? std::optional(Finding{Stage::kRead, VerdictKind::kBuildFailed, read.error().message})
                    : std::nullopt;
}

struct CandidateSources {
  SourceBundle bundle;             // with the header of the C ABI
  std::vector<std::string> notes;  // what we do not look at: build scripts and the like
};
// Why these sources are not compiled: one of them includes a file outside the bundle. Nothing when all is well.
std::optional<std::string> outside_file(const SourceBundle& bundle);

// Every *.cu below `folder` is a unit; *.cuh, *.h, *.inc and their like are headers. Links are not followed.
// kFileInvalid when the folder is too large to be a program's sources.
Result<CandidateSources> read_candidate_sources(const std::filesystem::path& folder,
                                                const std::filesystem::path& runtime_folder);

}  // namespace stitch::toolchain
