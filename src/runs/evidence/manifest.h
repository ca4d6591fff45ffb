// SPDX-License-Identifier: Apache-2.0
// evidence/manifest.json: SHA-256 of every file that a run left, so that what was changed since is seen. It does not
// protect against someone who rewrites the manifest as well; repeating the verdict does.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.h"

namespace stitch::runs {

inline constexpr const char* kManifest = "evidence/manifest.json";

// Covers every regular file below `folder` as it is now, except the manifest itself.
Result<void> write_manifest(const std::filesystem::path& folder);

struct ManifestCheck {
  int files = 0;       // that the manifest names
  std::string digest;  // SHA-256 of the manifest's own text: publish it, and nobody can write it anew
  std::vector<std::string> changed;
  std::vector<std::string> missing;
  std::vector<std::string> added;  // files in evidence/ and steps/ that the manifest does not name

  bool is_intact() const { return changed.empty() && missing.empty() && added.empty(); }
  // "changed: steps/01_x.cu; missing: plan.json"; empty when intact.
  std::string message() const;
};

// kFileInvalid when there is no manifest or it cannot be read.
Result<ManifestCheck> check_manifest(const std::filesystem::path& folder);

}  // namespace stitch::runs
