// SPDX-License-Identifier: Apache-2.0
// The folder a run leaves: made aside, then moved into place file by file, so that a failure leaves what was there and
// files of the user's own are never touched.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "artifact/source/source_bundle.h"

namespace stitch::cli {

// Whether `folder` may be written: it does not exist, is empty, or is one of ours (holds bundle.json).
Result<void> check_output_folder(const std::filesystem::path& folder);

// Writes the bundle and `extra` files (relative path -> text) into `folder`. Sources that an earlier run left there and
// this one does not have (steps/07_...) are removed; a file whose text the user changed is kept beside as NAME.edited.
Result<void> install_project(const SourceBundle& bundle, const std::map<std::string, std::string>& extra,
                             const std::filesystem::path& folder);

}  // namespace stitch::cli
