// SPDX-License-Identifier: Apache-2.0
// Native code that lies beside a candidate in Python, read before a worker starts. A library is recognised by its
// bytes, not by its name, as the dynamic loader does it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "artifact/report/finding.h"
#include "base/json/json_forward.h"
#include "elf/facts/library_facts.h"

namespace stitch::evaluate {

struct NativeFile {
  std::string path;  // without symbolic links
  std::string name;  // within the folder
  elf::LibraryFacts facts;
};

struct NativeFiles {
  std::vector<NativeFile> libraries;  // whatever could be loaded, by name
  std::optional<Finding> refusal;     // of the first that may not be
};

// Programs, objects and files for other processors cannot be loaded and are left alone; links are not followed.
Result<NativeFiles> inspect_native_files(const std::filesystem::path& folder);
// Likewise for what PyTorch's builder of extensions and Triton left in `folder`, by the rules for extensions on a GPU.
// Each library is replaced by a new file with the bytes that were read, so that no process that wrote it holds it open.
// Called when no process of the candidate's runs. What cannot be read is a verdict, since the candidate arranged it so.
Result<NativeFiles> inspect_compiled_files(const std::filesystem::path& folder);
Json to_json(const NativeFiles& files);

}  // namespace stitch::evaluate
