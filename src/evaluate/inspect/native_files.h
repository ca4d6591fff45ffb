// SPDX-License-Identifier: Apache-2.0
// Native code that lies beside a candidate in Python, read before a worker starts. A library is told by its bytes, not
// by its name: that is how the dynamic loader tells one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "artifact/report/verdict.h"
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
  std::optional<Verdict> refusal;     // of the first that may not be
};

// Programs, objects and files for other processors cannot be loaded and are left alone; links are not followed.
Result<NativeFiles> inspect_native_files(const std::filesystem::path& folder);
Json to_json(const NativeFiles& files);

}  // namespace stitch::evaluate
