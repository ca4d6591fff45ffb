// SPDX-License-Identifier: Apache-2.0
#include "driver/profile/profilers.h"

#include <algorithm>
#include <vector>

#include "base/process/child.h"
#include "toolchain/discovery/cuda_folders.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

fs::path find_tool(const char* name) {
  const fs::path found = find_program(name);
  return found.empty() ? toolchain::first_existing(toolchain::cuda_folders(), {std::string("bin/") + name}) : found;
}

fs::path find_own(const char* name) {
  const Result<fs::path> found = find_helper_program(name);
  return found.has_value() ? *found : fs::path();
}

// Beside the interpreter: lib/python3.11/site-packages/nvidia/*/lib.
std::vector<fs::path> package_folders(const fs::path& python) {
  std::vector<fs::path> folders;
  std::error_code error;
  const fs::path lib = python.parent_path().parent_path() / "lib";
  for (fs::directory_iterator version(lib, error), end; !error && version != end; version.increment(error)) {
    for (const char* packages : {"site-packages", "dist-packages"}) {
      std::error_code none;
      for (fs::directory_iterator part(version->path() / packages / "nvidia", none); !none && part != end;
           part.increment(none)) {
        folders.push_back(part->path());
      }
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace

Profilers find_profilers(const fs::path& python) {
  std::vector<fs::path> folders = toolchain::cuda_folders();
  const std::vector<fs::path> packages = package_folders(python);
  folders.insert(folders.end(), packages.begin(), packages.end());
  std::vector<std::string> names;
  for (const char* folder : {"extras/CUPTI/lib64/", "lib64/", "lib/", "targets/x86_64-linux/lib/"}) {
    for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
      names.push_back(std::string(folder) + name);
    }
  }
  Profilers found;
  found.ncu = find_tool("ncu");
  found.nsys = find_tool("nsys");
  found.cupti = toolchain::first_existing(folders, names);
  found.activity = find_own("libstitch_activity.so");
  found.replay = find_own("stitchcuda-replay-cuda");
  return found;
}

}  // namespace stitch::driver
