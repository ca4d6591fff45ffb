// SPDX-License-Identifier: Apache-2.0
// Files by their digest, in a folder that front ends and workers share: DIR/ab/abcdef... Whoever takes one out checks
// it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "farm/job/job.h"

namespace stitch::farm {

class Artefacts {
 public:
  // Of one file, and of all that a job has or leaves.
  static constexpr uint64_t kMaxFileBytes = uint64_t{256} << 20;
  static constexpr uint64_t kMaxBytes = uint64_t{1} << 30;

  explicit Artefacts(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }
  // Answers with the digest. One that is there is not written again.
  Result<std::string> put(std::string_view bytes) const;
  // kFileInvalid where what lies there is not what the digest says; kEnvironment where nothing does.
  Result<std::string> get(const std::string& digest) const;

  // A file, or all regular files below a folder; links are not followed. Their places are below `place`, or, where that
  // is empty, relative to the folder.
  Result<std::vector<PlacedFile>> put_all(const std::filesystem::path& from, const std::string& place) const;
  // Each at its place below a folder, which nobody else writes.
  Result<void> lay_out(const std::vector<PlacedFile>& files, const std::filesystem::path& folder) const;

 private:
  std::filesystem::path path_of(const std::string& digest) const;
  std::filesystem::path folder_;
};

// The folder `given`, or FILE.artefacts beside a store that is a file; kUsage where there is neither.
Result<std::string> artefacts_of(const std::string& store_url, const std::string& given);

}  // namespace stitch::farm
