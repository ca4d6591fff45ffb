// SPDX-License-Identifier: Apache-2.0
// What a candidate in Python is shown of what lies around it: a copy of its sources, and of the libraries that are
// inspected. Bytecode, archives and data stay outside, so that what runs is what was read.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/fs/files.h"

namespace stitch::driver {

struct ShownFiles {
  std::shared_ptr<TemporaryDirectory> folder;
  std::string file;                   // the candidate's, in there
  std::vector<std::string> left_out;  // names of what is not, the first few
};

enum class Around { kNothingButSources, kLibrariesToo };

// `file` lies in the folder. With libraries the folder is the candidate's own, and folders in it are part of it.
Result<ShownFiles> show_files(const std::filesystem::path& file, Around around);

}  // namespace stitch::driver
