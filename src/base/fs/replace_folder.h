// SPDX-License-Identifier: Apache-2.0
// A folder replaced whole: it is made beside the one that is there and takes its place in one step of the file system,
// so that a reader sees the old one or the new one, and a process that is killed leaves one of the two.
#pragma once

#include <filesystem>
#include <functional>

#include "base/error/result.h"

namespace stitch {

// The absolute path of the folder, with symbolic links resolved.
std::filesystem::path real_folder(const std::filesystem::path& folder);

// `fill` makes the new folder in the (empty) one it is given; `carry` puts into it what is to be kept of the old one
// and is called only where there is one. Several processes that replace one folder do so one after another.
Result<void> replace_folder(const std::filesystem::path& folder,
                            const std::function<Result<void>(const std::filesystem::path& fresh)>& fill,
                            const std::function<Result<void>(const std::filesystem::path& fresh)>& carry);

// Copies one file or symbolic link to another name, as a hard link where the file system allows it.
Result<void> carry_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace stitch
