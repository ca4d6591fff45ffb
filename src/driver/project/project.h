// SPDX-License-Identifier: Apache-2.0
// The folder a run leaves: made beside the one that is there, then put in its place, so that a failure or the end of
// this process leaves what was there, and files of the user's own are never lost.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "artifact/source/source_bundle.h"

namespace stitch::driver {

// Whether `folder` may be written: it does not exist, is empty, or is one of ours (holds bundle.json).
Result<void> check_output_folder(const std::filesystem::path& folder);

// Writes further files into the folder that is being made.
using WriteMore = std::function<Result<void>(const std::filesystem::path& fresh)>;

// Makes the bundle, `extra` files (relative path -> text) and what `write_more` writes, and puts them in the place of
// `folder` in one step. Files that an earlier run left there and this one does not have (steps/07_...) go; a file whose
// text the user changed is kept beside as NAME.edited; files of the user's own stay.
Result<void> install_project(const SourceBundle& bundle, const std::map<std::string, std::string>& extra,
                             const std::filesystem::path& folder, const WriteMore& write_more = {});

}  // namespace stitch::driver
